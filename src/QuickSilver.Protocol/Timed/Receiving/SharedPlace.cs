using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Timed.Receiving;

/// <summary>The place of one step in a sender's packets, which all of its packets share in memory.</summary>
/// <param name="value">The place.</param>
internal sealed class SharedPlace(in TimedPlace value)
{
    /// <summary>The place.</summary>
    public TimedPlace Value { get; } = value;
}
