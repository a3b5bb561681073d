namespace QuickSilver.Testing.Scheduling;

/// <summary>What a <see cref="TraceHash"/> is told of.</summary>
internal enum TraceKind : byte
{
    /// <summary>A datagram left a node.</summary>
    Datagram = 1,

    /// <summary>A frame passed between a node and the membership server.</summary>
    Frame,

    /// <summary>A node installed a step.</summary>
    Step,

    /// <summary>A message was delivered.</summary>
    Delivery,

    /// <summary>A loss was reported.</summary>
    Loss,

    /// <summary>A message became stable at its sender.</summary>
    Stable,

    /// <summary>A node was admitted, expelled, frozen or crashed, or saw others go.</summary>
    Lifecycle,
}
