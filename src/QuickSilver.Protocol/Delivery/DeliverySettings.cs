using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Probing;

namespace QuickSilver.Protocol.Delivery;

/// <summary>Limits of a node's delivery.</summary>
internal sealed record DeliverySettings
{
    /// <summary>
    /// Limit on the bytes of held messages: out of order, incomplete, or of a step not installed. See
    /// <see cref="ReorderLimit"/>.
    /// </summary>
    public long MaxHeldBytes { get; init; } = 128L << 20;

    /// <summary>Limit on the number of datagrams kept for views that are not installed.</summary>
    public int MaxUnrecognised { get; init; } = 30_000;

    /// <summary>Limit on the bytes of those datagrams.</summary>
    public long MaxUnrecognisedBytes { get; init; } = 16L << 20;

    /// <summary>How long each datagram for a view that is not installed is kept.</summary>
    public TimeSpan UnrecognisedAge { get; init; } = TimeSpan.FromSeconds(3);

    /// <summary>Hooks by which tests of the simulator observe and steer the internals.</summary>
    internal Probes Probes { get; init; } = Probes.None;
}
