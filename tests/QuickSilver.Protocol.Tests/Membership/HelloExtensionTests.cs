using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>
/// Later builds add fields to the end of registrations. This one reads what it knows and skips the rest.
/// </summary>
public sealed class HelloExtensionTests
{
    private const HelloField Unknown = (HelloField)200;
    private const HelloField Later = (HelloField)201;

    [Fact]
    public void FieldsHaveTheirBytes()
    {
        byte[] bare = Write(HelloExtensions.None);
        byte[] bytes = Write(HelloExtensions.None.With(Later, []).With(Unknown, [7, 8]));
        Assert.Equal("00", Convert.ToHexString(bare[^1..]));
        Assert.Equal("08" + "C801" + "02" + "0708" + "C901" + "00", Convert.ToHexString(bytes[(bare.Length - 1)..]));
    }

    [Fact]
    public void UnknownFieldsChangeNothingElse()
    {
        HelloFrame hello = HelloFrame.TryRead(Write(HelloExtensions.None.With(Unknown, [7, 8])))!;
        Assert.Equal(Hello(), hello with { Extensions = HelloExtensions.None });
        Assert.Equal([7, 8], hello.Extensions.Find(Unknown)!);
        Assert.Null(hello.Extensions.Find(Later));
        Assert.Equal([9], hello.Extensions.With(Unknown, [9]).Find(Unknown)!);
    }

    [Fact]
    public void LongestRegistrationFits()
    {
        string longest = new('n', FrameFields.MaxNameBytes);
        var number = new NodeNumber(new Epoch(uint.MaxValue, ulong.MaxValue), uint.MaxValue);
        var address = new NetEndpoint(new NetAddress(0x2001_0000_0000_0000, 1), ushort.MaxValue);
        HelloFrame hello = Hello() with
        {
            ClusterName = longest,
            NodeName = longest,
            Incarnation = ulong.MaxValue,
            Control = address,
            Data = address,
            Number = number,
            Session = number.Epoch,
            Received = ulong.MaxValue,
            Extensions = HelloExtensions.None.With(Unknown, new byte[HelloExtensions.MaxBytes - 4]),
        };
        var frame = new FrameBuilder();
        hello.WriteTo(frame);
        Assert.True(frame.Length <= MembershipFrames.MaxHelloBytes);
        Assert.Equal(hello, HelloFrame.TryRead(frame.Span));
    }

    [Theory]
    [InlineData("", "no length")]
    [InlineData("01", "shorter than its length")]
    [InlineData("0100", "a field without length")]
    [InlineData("020000", "field 0")]
    [InlineData("020501", "a value longer than the block")]
    [InlineData("0405000500", "a field twice")]
    [InlineData("0405000400", "fields that fall")]
    [InlineData("0000", "bytes after the block")]
    public void MalformedBlocksAreRefused(string hex, string because)
    {
        byte[] bytes = Write(HelloExtensions.None);
        Assert.True(HelloFrame.TryRead([.. bytes[..^1], .. Convert.FromHexString(hex)]) is null, because);
    }

    private static byte[] Write(HelloExtensions extensions)
    {
        var frame = new FrameBuilder();
        (Hello() with { Extensions = extensions }).WriteTo(frame);
        return frame.ToArray();
    }

    private static HelloFrame Hello() => new()
    {
        ClusterName = "c",
        NodeName = "n",
        Control = new NetEndpoint(0x7F000001, 1000),
        Data = new NetEndpoint(0x7F000001, 1001),
    };
}
