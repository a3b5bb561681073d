using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Testing.Network;

/// <summary>Something that drops copies of datagrams while a fault lasts, by a rule of its own.</summary>
internal interface IDisturbance
{
    /// <summary>True when a copy is to be dropped.</summary>
    /// <param name="from">Index of the sending machine.</param>
    /// <param name="to">Index of the receiving machine.</param>
    /// <param name="ordinal">Which of the sender's datagrams it is.</param>
    /// <param name="kind">What it carries.</param>
    /// <param name="now">The simulation's time.</param>
    bool Drops(int from, int to, ulong ordinal, DatagramKind kind, Instant now);

    /// <summary>How much later a copy comes that is not dropped; others overtake it meanwhile.</summary>
    /// <param name="source">Index of the sending machine.</param>
    /// <param name="target">Index of the receiving machine.</param>
    /// <param name="carries">The datagram's kind.</param>
    TimeSpan Delays(int source, int target, DatagramKind carries) => default;
}
