using QuickSilver.Protocol.Core;

namespace QuickSilver.Testing.Scheduling;

/// <summary>
/// A rolling 64-bit hash over everything observable in a run, in order: datagrams, steps, deliveries. Two runs with one
/// seed give one value; the first differing checkpoint tells where two runs part. Allocates nothing per event.
/// </summary>
internal sealed class TraceHash
{
    private const int CheckpointEvery = 10_000;

    private readonly List<ulong> _checkpoints = [];

    /// <summary>The hash so far.</summary>
    public ulong Value { get; private set; } = 0x5153494D;

    /// <summary>How many events went into it.</summary>
    public ulong Count { get; private set; }

    /// <summary>The value after each ten thousand events: where two runs that should be equal part is found by
    /// comparing these.</summary>
    public IReadOnlyList<ulong> Checkpoints => _checkpoints;

    /// <summary>Adds an event.</summary>
    /// <param name="kind">What happened.</param>
    /// <param name="at">When.</param>
    /// <param name="first">First number of the event.</param>
    /// <param name="second">Second number of the event.</param>
    public void Add(TraceKind kind, Instant at, ulong first, ulong second)
    {
        ulong mix = Value ^ ((ulong)kind * 0x9E3779B97F4A7C15UL);
        mix = SeededRandom.Mix(mix + (ulong)at.Ticks);
        mix = SeededRandom.Mix(mix + first);
        Value = SeededRandom.Mix(mix + (second * 0xC2B2AE3D27D4EB4FUL));
        if (++Count % CheckpointEvery == 0) _checkpoints.Add(Value);
    }
}
