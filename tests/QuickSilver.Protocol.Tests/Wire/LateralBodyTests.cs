using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Wire;

public sealed class LateralBodyTests
{
    private static readonly LateralId Whole = new((3UL << 32) | 7, 12, 900, 0);
    private static readonly LateralId Part = Whole with { Fragment = 3 };

    [Fact]
    public void BlocksSayTheSameWhenTheyAreRead()
    {
        foreach ((LateralId id, uint fragments) in ((LateralId, uint)[])[(Whole, 0), (Part, 5)])
        {
            byte[] bytes = Block(id, fragments);
            Assert.True(LateralBlock.TryRead([.. bytes, 0, 0, 0], id, out LateralBlock block, out int length));
            Assert.Equal(bytes.Length, length);
            Assert.Equal((3UL, 44UL, 890UL, 2UL, 40UL), (
                block.Term, block.Step, block.FirstInStep, block.BeforeTerm, block.BeforeStep));
            Assert.Equal(fragments, block.Fragments);
            Assert.Equal("hello"u8.ToArray(), block.Bytes.ToArray());
        }
    }

    // Written apart from the code, by the formats' tables.
    [Fact]
    public void TheFormatsAreFixed()
    {
        Assert.Equal("e6850f610a00032c0a032868656c6c6f", Convert.ToHexStringLower(Block(Whole, 0)));
        Assert.Equal("b95241cc0b00032c0a03280568656c6c6f", Convert.ToHexStringLower(Block(Part, 5)));
        byte[] bytes = new byte[100];
        var writer = new WireWriter(bytes);
        LateralRepairBody.WritePrefix(ref writer, 77, [Whole, Part]);
        Assert.Equal("4d0000000287808080300c84070000000003", Convert.ToHexStringLower(bytes[..writer.Written]));
        writer = new WireWriter(bytes);
        LateralDataBody.WritePrefix(ref writer, Part, isResend: true);
        Assert.Equal("87808080300c840703", Convert.ToHexStringLower(bytes[..writer.Written]));
        writer = new WireWriter(bytes);
        LateralSessionBody.Write(ref writer, [(5, 9), (7, 1)]);
        Assert.Equal("0205090201", Convert.ToHexStringLower(bytes[..writer.Written]));
    }

    [Fact]
    public void ABlockIsRefusedForAnotherPacketOrWithAnyBitChanged()
    {
        byte[] bytes = Block(Whole, 0);
        Assert.False(LateralBlock.TryRead(bytes, Whole with { Number = 901 }, out _, out _));
        Assert.False(LateralBlock.TryRead(bytes, Whole with { Group = 13 }, out _, out _));
        Assert.False(LateralBlock.TryRead(bytes, Whole with { Sender = 8 }, out _, out _));
        for (int bit = 0; bit < 8 * bytes.Length; bit++)
        {
            byte[] damaged = [.. bytes];
            damaged[bit / 8] ^= (byte)(1 << (bit % 8));
            Assert.False(LateralBlock.TryRead(damaged, Whole, out _, out _));
        }
    }

    [Fact]
    public void ListsOfIdsHaveOneFormAndAreBounded()
    {
        LateralId[] ids = [
            .. Enumerable.Range(1, LateralIdList.MaxIds).Select(index => new LateralId(
                (3UL << 32) | (uint)(1 + (index / 20)), (uint)(1 + (index / 5 % 4)), (ulong)index, (uint)(index % 2)))];
        Array.Sort(ids);
        byte[] bytes = new byte[4096];
        var writer = new WireWriter(bytes);
        LateralIdList.Write(ref writer, ids);
        var read = new LateralId[LateralIdList.MaxIds];
        var reader = new WireReader(bytes.AsSpan(0, writer.Written));
        Assert.Equal(ids.Length, LateralIdList.Read(ref reader, read));
        Assert.Equal(ids, read);
        Assert.True(reader.IsAtEnd);

        AssertRefused([2, 5, 1, 1, 0, 0, 0, 0, 0]);
        AssertRefused([0]);
        AssertRefused([65, .. new byte[300]]);
        AssertRefused([1, 5, 0, 1, 0]);
        AssertRefused([1, 5, 1, 0, 0]);
    }

    [Fact]
    public void NoMutationOfABodyThrowsOrIsReadBeyondItsEnd()
    {
        byte[] prefix = new byte[100];
        var writer = new WireWriter(prefix);
        LateralRepairBody.WritePrefix(ref writer, 77, [Whole, Part]);
        byte[] repair = [.. prefix[..writer.Written], .. Block(Whole, 0)];
        writer = new WireWriter(prefix);
        LateralDataBody.WritePrefix(ref writer, Part, isResend: true);
        byte[] data = [.. prefix[..writer.Written], .. Block(Part, 5)];
        writer = new WireWriter(prefix);
        LateralSessionBody.Write(ref writer, [(5, 9), (7, 1)]);
        byte[] session = prefix[..writer.Written];
        var ids = new LateralId[LateralIdList.MaxIds];
        var last = new (uint, ulong)[LateralSessionBody.MaxGroups];
        Assert.Equal(2, LateralRepairBody.TryRead(repair, ids, out uint seed, out ReadOnlySpan<byte> sum));
        Assert.Equal((77U, Block(Whole, 0).Length), (seed, sum.Length));
        Assert.True(LateralDataBody.TryRead(data, 1, true, out LateralId id, out _));
        Assert.Equal(Part, id);
        Assert.Equal(2, LateralSessionBody.TryRead(session, last));
        Assert.Equal([(5U, 9UL), (7U, 1UL)], last[..2]);
        var random = new Random(5);
        foreach (byte[] body in (byte[][])[repair, data, session])
        {
            for (int round = 0; round < 20_000; round++)
            {
                byte[] mutated = [.. body[..random.Next(body.Length + 1)]];
                for (int change = random.Next(4); change > 0 && mutated.Length > 0; change--)
                    mutated[random.Next(mutated.Length)] = (byte)random.Next(256);
                LateralRepairBody.TryRead(mutated, ids, out _, out _);
                LateralDataBody.TryRead(mutated, 1, round % 2 == 0, out LateralId any, out int offset);
                LateralSessionBody.TryRead(mutated, last);
                if (offset <= mutated.Length) LateralBlock.TryRead(mutated.AsSpan(offset), any, out _, out _);
            }
        }
    }

    private static void AssertRefused(byte[] list)
    {
        var reader = new WireReader(list);
        Assert.Equal(0, LateralIdList.Read(ref reader, new LateralId[LateralIdList.MaxIds]));
    }

    private static byte[] Block(LateralId id, uint fragments)
    {
        byte[] room = new byte[200];
        int length = new LateralBlock
        {
            Term = 3,
            Step = 44,
            FirstInStep = 890,
            BeforeTerm = 2,
            BeforeStep = 40,
            Fragments = fragments,
            Bytes = "hello"u8,
        }.WriteTo(room, id);
        return room[..length];
    }
}
