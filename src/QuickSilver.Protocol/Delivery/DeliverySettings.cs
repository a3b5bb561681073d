using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Delivery;

/// <summary>Limits of a node's delivery.</summary>
public sealed record DeliverySettings
{
    /// <summary>
    /// Most bytes of messages kept because something before them is missing: out of order, incomplete, or of a step not installed. See
    /// <see cref="ReorderLimit"/>.
    /// </summary>
    public long MaxHeldBytes { get; init; } = 128L << 20;

    /// <summary>Most datagrams of views not installed that are kept.</summary>
    public int MaxUnrecognised { get; init; } = 30_000;

    /// <summary>Most bytes of them.</summary>
    public long MaxUnrecognisedBytes { get; init; } = 16L << 20;

    /// <summary>How long one is kept.</summary>
    public TimeSpan UnrecognisedAge { get; init; } = TimeSpan.FromSeconds(3);

    /// <summary>What tests of the simulator see and move inside.</summary>
    internal Probes Probes { get; init; } = Probes.None;
}
