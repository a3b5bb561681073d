using System.Diagnostics;
using QuickSilver.Fuzz.Inputs;
using QuickSilver.Fuzz.Targets;

namespace QuickSilver.Fuzz;

/// <summary>Feeds one target with damaged inputs, and watches what it throws and allocates.</summary>
internal static class FuzzRunner
{
    private const int Sealed = 7;
    private const int OutOf = 8;

    /// <summary>Runs.</summary>
    /// <param name="target">What is fed.</param>
    /// <param name="inputs">How often.</param>
    /// <param name="seed">Of the damage.</param>
    public static FuzzResult Run(FuzzTarget target, long inputs, ulong seed)
    {
        foreach (byte[] valid in target.Valid)
        {
            if (!target.Try((byte[])valid.Clone()))
            {
                return new FuzzResult(
                    target.Name, 0, 0, 0, TimeSpan.Zero, $"refuses real traffic: {Convert.ToHexString(valid)}");
            }
        }
        var mutator = new Mutator(seed, target.Valid, target.MaxLength);
        long accepted = 0;
        long most = 0;
        long start = Stopwatch.GetTimestamp();
        for (long number = 0; number < inputs; number++)
        {
            Span<byte> input = mutator.Next();
            if (target.IsDatagram && mutator.Below(OutOf) < Sealed) Seal.Repair(input);
            try
            {
                long before = GC.GetAllocatedBytesForCurrentThread();
                bool isAccepted = target.Try(input);
                long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
                if (isAccepted) accepted++;
                if (allocated > target.Allowance(input.Length, isAccepted) && AllocatesAgain(target, input))
                {
                    return Failed($"allocates {allocated} bytes", input);
                }
                most = Math.Max(most, allocated);
            }
            catch (Exception failure)
            {
                return Failed(failure.ToString(), input);
            }
        }
        return new FuzzResult(target.Name, inputs, accepted, most, Stopwatch.GetElapsedTime(start), null);

        FuzzResult Failed(string how, ReadOnlySpan<byte> input) =>
            new(
                target.Name,
                inputs,
                accepted,
                most,
                Stopwatch.GetElapsedTime(start),
                $"{how}, for {input.Length} bytes: {Convert.ToHexString(input)}");
    }

    // What is made once (code, buffers that grow) is not the input's doing.
    private static bool AllocatesAgain(FuzzTarget target, Span<byte> input)
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        bool isAccepted = target.Try(input);
        return GC.GetAllocatedBytesForCurrentThread() - before > target.Allowance(input.Length, isAccepted);
    }
}
