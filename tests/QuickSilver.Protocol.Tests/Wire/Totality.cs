using QuickSilver.Fuzz.Inputs;

namespace QuickSilver.Protocol.Tests.Wire;

/// <summary>Runs a decoder over tens of thousands of damaged inputs.</summary>
internal static class Totality
{
    private const int Inputs = 40_000;
    private const ulong Seed = 20_260;

    /// <summary>Decodes, and reads all that was decoded.</summary>
    public delegate bool Decoder(Span<byte> input);

    /// <summary>The decoder neither throws nor allocates, accepts some of the inputs and refuses most.</summary>
    public static void Check(Decoder decoder, params byte[][] valid)
    {
        foreach (byte[] input in valid) Assert.True(decoder((byte[])input.Clone()), "a valid input is refused");
        int accepted = 0;
        var mutator = new Mutator(Seed, valid);
        // The first attempt may grow what is reused.
        Assert.Equal(0, AllocatedBytes.Of(() =>
        {
            accepted = 0;
            for (int input = 0; input < Inputs; input++)
            {
                if (decoder(mutator.Next())) accepted++;
            }
        }));
        Assert.InRange(accepted, 1, Inputs / 2);
    }

    /// <summary>Whatever the decoder accepts, it writes again with the same bytes: there is one form for one
    /// meaning.</summary>
    /// <param name="encode">Decodes; null when it refuses, else what was read, written again.</param>
    /// <param name="valid">Inputs to damage.</param>
    public static void CheckOneForm(Func<byte[], byte[]?> encode, params byte[][] valid)
    {
        var mutator = new Mutator(Seed + 1, valid);
        int accepted = 0;
        for (int input = 0; input < Inputs / 4; input++)
        {
            byte[] bytes = mutator.Next().ToArray();
            if (encode(bytes) is not { } written) continue;
            accepted++;
            Assert.True(
                bytes.AsSpan().SequenceEqual(written),
                $"{Convert.ToHexString(bytes)} is written as {Convert.ToHexString(written)}");
        }
        Assert.True(accepted > 0, "every damaged input is refused");
    }
}
