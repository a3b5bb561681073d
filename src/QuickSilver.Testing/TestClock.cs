using QuickSilver.Loop;
using QuickSilver.Protocol.Core;

namespace QuickSilver.Testing;

/// <summary>The clock of the machine, and what a test has added to it. Any thread.</summary>
internal sealed class TestClock : IClock
{
    private readonly MonotonicClock _machine = new();
    private long _added;

    /// <inheritdoc/>
    public Instant Now => _machine.Now + TimeSpan.FromTicks(Volatile.Read(ref _added));

    /// <summary>Goes forward.</summary>
    public void Add(TimeSpan time) => Interlocked.Add(ref _added, time.Ticks);
}
