using QuickSilver.Protocol.Core;

namespace QuickSilver.Testing.Scheduling;

/// <summary>The simulation's time: moved by the engine from event to event, and by nothing else. Ticks of 100 ns from
/// <see cref="Instant.Zero"/>.</summary>
internal sealed class VirtualClock : IClock
{
    /// <inheritdoc/>
    public Instant Now { get; private set; }

    /// <summary>Goes forward.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The instant is in the past.</exception>
    public void MoveTo(Instant instant)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(instant.Ticks, Now.Ticks, nameof(instant));
        Now = instant;
    }
}
