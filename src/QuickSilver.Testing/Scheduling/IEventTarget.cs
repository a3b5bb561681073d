using QuickSilver.Protocol.Core;

namespace QuickSilver.Testing.Scheduling;

/// <summary>Something that the engine calls when an event of its is due.</summary>
internal interface IEventTarget
{
    /// <summary>The event happens.</summary>
    /// <param name="argument">What was handed over when it was scheduled.</param>
    /// <param name="value">The number handed over with it.</param>
    /// <param name="now">The simulation's time.</param>
    void OnEvent(object? argument, long value, Instant now);
}
