using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Timed.Sending;

/// <summary>One packet in its sender's memory: what its head says, and how it was last sent again.</summary>
internal struct KeptPacket
{
    /// <summary>Its sequence.</summary>
    public ulong Sequence;

    /// <summary>What its head says; age is computed when it is sent.</summary>
    public TimedHead Head;

    /// <summary>Bytes of its message in it.</summary>
    public int Length;

    /// <summary>When its message was taken.</summary>
    public Instant Taken;

    /// <summary>When it was last sent again; zero: never.</summary>
    public Instant Repaired;

    /// <summary>The views that wait for it: one bit each, the last for all beyond; 0: it is not awaited.</summary>
    public ulong Awaited;

    /// <summary>A member that waits for a copy by unicast, too; null: none.</summary>
    public NodeInfo? AlsoTo;

    /// <summary>True once it will not be sent any more: a newer message took its place.</summary>
    public bool IsDropped;

    /// <summary>When it is no longer worth anything.</summary>
    public readonly Instant Ends => Taken + Head.Life;
}
