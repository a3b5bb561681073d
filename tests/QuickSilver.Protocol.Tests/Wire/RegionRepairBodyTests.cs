using QuickSilver.Protocol.Lateral;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Wire;

public sealed class RegionRepairBodyTests
{
    private const ulong Sender = (3UL << 32) | 7;
    private const uint Counter = 12;
    private const uint Tag = 0xAABBCCDD;

    private static readonly LateralId[] Names =
        [Name(Sender, 900), Name(Sender, 903), Name(Sender + 1, 5)];

    // Written apart from the code, by the formats' tables.
    [Theory]
    [InlineData(DatagramFlags.None, "ffa395c6050068656c6c6f")]
    [InlineData(DatagramFlags.FeedbackWanted | DatagramFlags.PayloadChecksum, "ffa395c6050068656c6c6f")]
    [InlineData(DatagramFlags.Hybrid, "29149dda058068656c6c6f")]
    public void TheFormatOfABlockIsFixed(DatagramFlags flags, string expected) =>
        Assert.Equal(expected, Convert.ToHexStringLower(Block(Names[0], flags)));

    [Fact]
    public void TheFormatOfTheListIsFixed()
    {
        Assert.Equal(
            "4d000000" + "02" + "8780808030" + "02" + "8407" + "03" + "01" + "01" + "05",
            Convert.ToHexStringLower(Prefix(77, Names)));
        int length = RegionRepairBody.FixedLength;
        LateralId before = default;
        foreach (LateralId name in Names)
        {
            length += RegionRepairBody.LengthOf(before, name);
            before = name;
        }
        Assert.Equal(Prefix(77, Names).Length, length);
    }

    [Fact]
    public void WhatIsWrittenIsRead()
    {
        byte[] body = [.. Prefix(77, Names), .. Block(Names[0], DatagramFlags.None)];
        Assert.Equal(Names, Read(body, out uint seed, out byte[] block));
        Assert.Equal(77U, seed);
        Assert.True(RegionBlock.TryRead(
            [.. block, 0, 0], Names[0], out ReadOnlySpan<byte> content, out DatagramFlags flags));
        Assert.Equal("hello"u8.ToArray(), content.ToArray());
        Assert.Equal(DatagramFlags.None, flags);
        LateralId[] most = [.. Enumerable.Range(1, RegionRepairBody.MaxPackets).Select(
            static index => Name((ulong)index << 32, (ulong)index << 40))];
        Assert.Equal(most, Read([.. Prefix(1, most), .. block], out _, out _));
    }

    [Theory]
    [InlineData("")] // no packet
    [InlineData("01 07 00")] // a stream without packets
    [InlineData("02 07 01 05 00 01 05")] // the same sender twice
    [InlineData("01 07 02 05 00")] // the same packet twice
    [InlineData("01 07 41 05")] // more than 64
    [InlineData("41 07 01 05")] // more than 64 streams
    [InlineData("01 07 01 00")] // no sequence
    [InlineData("01 07 01 80808080808040")] // a sequence of 2^48
    [InlineData("01 07 02 05")] // fewer than it says: the block is read as one
    public void AListThatBreaksTheFormatIsRefused(string list)
    {
        byte[] names = Convert.FromHexString(list.Replace(" ", "", StringComparison.Ordinal));
        Assert.Empty(Read([77, 0, 0, 0, .. names, 0, 0, 0, 0, 0, 0], out _, out _));
    }

    [Fact]
    public void ABlockIsRefusedForAnotherPacketOrViewOrWithAnyBitChanged()
    {
        byte[] bytes = Block(Names[0], DatagramFlags.None);
        Assert.False(RegionBlock.TryRead(bytes, Names[1], out _, out _));
        Assert.False(RegionBlock.TryRead(bytes, Names[0] with { Sender = 8 }, out _, out _));
        Assert.False(RegionBlock.TryRead(bytes, Names[0] with { Group = 13 }, out _, out _));
        Assert.False(RegionBlock.TryRead(bytes, Names[0] with { Fragment = 1 }, out _, out _));
        for (int bit = 0; bit < 8 * bytes.Length; bit++)
        {
            byte[] damaged = [.. bytes];
            damaged[bit / 8] ^= (byte)(1 << (bit % 8));
            Assert.False(RegionBlock.TryRead(damaged, Names[0], out _, out _));
        }
    }

    [Fact]
    public void APacketThatIsTooLongHasNoBlock()
    {
        byte[] room = new byte[RegionBlock.MaxLength];
        int longest = DatagramHeader.Length + RegionBlock.MaxLength - RegionBlock.HeadLength;
        Assert.Equal(RegionBlock.MaxLength, RegionBlock.Write(room, Names[0], new byte[longest]));
        Assert.Equal(0, RegionBlock.Write(room, Names[0], new byte[longest + 1]));
    }

    // Two packets that were lost come back from two combinations, whatever else they combine.
    [Fact]
    public void CombinationsGiveBackWhatIsMissing()
    {
        byte[][] blocks = [.. Names.Select(static (name, index) =>
            WriteBlock(name, DatagramFlags.None, new string((char)('a' + index), 10 + index)))];
        var equations = new Equations();
        foreach (uint seed in (uint[])[5, 77])
        {
            byte[] sum = new byte[blocks.Max(static block => block.Length)];
            for (int index = 0; index < Names.Length; index++)
                GaloisField.AddProduct(sum, blocks[index], LateralRepairBody.CoefficientOf(seed, Names[index]));
            Equation equation = equations.Rent();
            equation.Begin(sum);
            GaloisField.AddProduct(equation.Sum, blocks[1], LateralRepairBody.CoefficientOf(seed, Names[1]));
            equation.AddTo(Names[0], LateralRepairBody.CoefficientOf(seed, Names[0]));
            equation.AddTo(Names[2], LateralRepairBody.CoefficientOf(seed, Names[2]));
            equations.Enter(equation);
        }
        Assert.True(equations.TryTakeSolved(out LateralId first, out Equation solved));
        Assert.True(RegionBlock.TryRead(
            solved.Sum.AsSpan(0, solved.Length), first, out ReadOnlySpan<byte> body, out _));
        int which = Array.IndexOf(Names, first);
        Assert.Equal(new string((char)('a' + which), 10 + which), System.Text.Encoding.ASCII.GetString(body));
    }

    [Fact]
    public void NoMutationOfABodyThrowsOrIsReadBeyondItsEnd()
    {
        byte[] body = [.. Prefix(77, Names), .. Block(Names[0], DatagramFlags.None)];
        var names = new LateralId[RegionRepairBody.MaxPackets];
        var random = new Random(5);
        for (int round = 0; round < 20_000; round++)
        {
            byte[] mutated = [.. body[..random.Next(body.Length + 1)]];
            for (int change = random.Next(4); change > 0 && mutated.Length > 0; change--)
                mutated[random.Next(mutated.Length)] = (byte)random.Next(256);
            int count = RegionRepairBody.TryRead(mutated, Counter, Tag, names, out _, out ReadOnlySpan<byte> block);
            for (int index = 1; index < count; index++) Assert.True(names[index].CompareTo(names[index - 1]) > 0);
            if (count > 0) RegionBlock.TryRead(block, names[0], out _, out _);
        }
    }

    private static LateralId Name(ulong sender, ulong sequence) => RegionBlock.Name(sender, sequence, Counter, Tag);

    private static LateralId[] Read(byte[] body, out uint seed, out byte[] block)
    {
        var names = new LateralId[RegionRepairBody.MaxPackets];
        int count = RegionRepairBody.TryRead(body, Counter, Tag, names, out seed, out ReadOnlySpan<byte> sum);
        block = sum.ToArray();
        return names[..count];
    }

    private static byte[] Prefix(uint seed, LateralId[] names)
    {
        byte[] bytes = new byte[2_000];
        var writer = new WireWriter(bytes);
        RegionRepairBody.WritePrefix(ref writer, seed, names);
        return bytes[..writer.Written];
    }

    private static byte[] Block(LateralId name, DatagramFlags flags) => WriteBlock(name, flags, "hello");

    private static byte[] WriteBlock(LateralId name, DatagramFlags flags, string content)
    {
        byte[] datagram = WireSamples.Datagram(
            WireSamples.Header(DatagramKind.Data, flags, 9),
            (ref WireWriter writer) => writer.WriteBytes(System.Text.Encoding.ASCII.GetBytes(content)));
        byte[] room = new byte[RegionBlock.MaxLength];
        return room[..RegionBlock.Write(room, name, datagram)];
    }
}
