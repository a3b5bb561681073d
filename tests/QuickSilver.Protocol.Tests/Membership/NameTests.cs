using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>Names are shown in logs and on terminals: what could write there something else than a name is no
/// name.</summary>
public sealed class NameTests
{
    [Theory]
    [InlineData("web-1")]
    [InlineData("Zürich")]
    [InlineData("Zu\u0308rich")]
    [InlineData("a\u0323\u0302")]
    [InlineData("日本語")]
    [InlineData("हिन्दी")]
    [InlineData("\U0001F680 rocket")]
    [InlineData("a, b")]
    public void APlainNameIsGood(string name) => Assert.True(FrameFields.IsPlain(name));

    [Theory]
    [InlineData("line\u2028separator")]
    [InlineData("paragraph\u2029separator")]
    [InlineData("bidi\u202Eoverride")]
    [InlineData("isolate\u2066")]
    [InlineData("zero\u200Bwidth")]
    [InlineData("joiner\u200D")]
    [InlineData("\uFEFFmark")]
    [InlineData("soft\u00ADhyphen")]
    [InlineData("private\uE000use")]
    [InlineData("private\U000F0000plane")]
    [InlineData("tag\U000E0041")]
    [InlineData("three\u0301\u0301\u0301marks")]
    [InlineData("\u0301\u0302\u20DD")]
    [InlineData("tab\t")]
    [InlineData("escape\u001B[31m")]
    [InlineData("next\u0085line")]
    public void ANameThatHidesSomethingIsRefused(string name)
    {
        Assert.False(FrameFields.IsPlain(name));
        var builder = new FrameBuilder();
        builder.WriteText(name);
        var reader = new WireReader(builder.Span);
        FrameFields.ReadName(ref reader);
        Assert.True(reader.Failed);
    }

    [Fact]
    public void HalfOfASurrogatePairIsNoText()
    {
        Assert.False(FrameFields.IsPlain(new string((char)0xD83D, 1)));
        Assert.False(FrameFields.IsPlain(new string((char)0xDE80, 2)));
    }

    [Fact]
    public void AmongOthersANameCannotBeTakenForTwo()
    {
        Assert.Equal("'web-1, web-2'", QuotedName.Of("web-1, web-2"));
        Assert.Equal("'a'', ''b'", QuotedName.Of("a', 'b"));
        Assert.Equal(
            "'web-1, web-2', 'db' have not installed the view",
            new JoinWait(JoinStage.Install, 2, ["web-1, web-2", "db"]).ToString());
    }
}
