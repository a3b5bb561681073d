using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Recovery.Reception;

/// <summary>What the leader of a ring has found of one stream. Written by the leader's rounds alone.</summary>
internal struct LeaderRecord
{
    /// <summary>Every live member holds all packets up to here.</summary>
    public ulong Stable;

    /// <summary>The stable position that a complete round has announced to all members.</summary>
    public ulong Told;

    /// <summary>Round in which the stream was last seen to grow.</summary>
    public ulong LastGrowth;

    /// <summary>True while feedback waits to be sent.</summary>
    public bool AckDue;

    /// <summary>The result of the last round; built into an acknowledgement when that is sent.</summary>
    public AckBody Feedback;
}
