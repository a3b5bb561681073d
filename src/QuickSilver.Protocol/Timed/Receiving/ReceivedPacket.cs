using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Timed.Receiving;

/// <summary>One packet of a sender in a receiver's window.</summary>
internal struct ReceivedPacket
{
    /// <summary>Its sequence: the place served others before.</summary>
    public ulong Sequence;

    /// <summary>The message's bytes in it, with a reference; empty when they are not here, or no longer.</summary>
    public Slice Payload;

    /// <summary>Number of its message; 0: unknown.</summary>
    public ulong Number;

    /// <summary>The place of its step, shared by the packets of the step; null before it came.</summary>
    public SharedPlace? Place;

    /// <summary>Key of its message.</summary>
    public ulong Key;

    /// <summary>Time to live of its message.</summary>
    public TimeSpan Life;

    /// <summary>Index of the packet in its message.</summary>
    public ushort Index;

    /// <summary>Packets of its message.</summary>
    public ushort Count;

    /// <summary>What the packets before were worth.</summary>
    public ushort Before;

    /// <summary>Importance of its message.</summary>
    public byte Importance;

    /// <summary>True when its message has a key.</summary>
    public bool IsKeyed;

    /// <summary>When its message ends; of a missing packet, when it is given up.</summary>
    public Instant Ends;

    /// <summary>When it came; of a missing packet, when it is asked for.</summary>
    public Instant At;

    /// <summary>How often a missing packet was asked for.</summary>
    public byte Tries;

    /// <summary>True while its bytes are held.</summary>
    public bool IsHeld;

    /// <summary>What has become of it.</summary>
    public PacketState State;

    /// <summary>
    /// Its head as another member sends it. Which messages it replaces is left out: it was said to this member.
    /// </summary>
    public readonly TimedHead HeadAt(uint group, Instant now) => new()
    {
        Group = group,
        Number = Number,
        Place = Place!.Value,
        Index = Index,
        Count = Count,
        Before = Before,
        Importance = Importance,
        Age = Life - (Ends - now),
        Life = Life,
        IsKeyed = IsKeyed,
        Key = Key,
    };
}
