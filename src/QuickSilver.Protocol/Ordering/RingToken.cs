using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Ordering;

/// <summary>The token of a ring while a node has it.</summary>
internal sealed class RingToken
{
    /// <summary>Number of the hop by which it came; 0: it was made here.</summary>
    public ulong Hop;

    /// <summary>The last packet of the ring.</summary>
    public ulong Sequence;

    /// <summary>Every member holds all packets up to this, as far as the token knows.</summary>
    public ulong Held;

    /// <summary>Key of the node that lowered <see cref="Held"/>; 0: nobody.</summary>
    public ulong LoweredBy;

    /// <summary>Packets that were sent in the last round.</summary>
    public uint Flow;

    /// <summary>Counter of the highest step that messages are sent in.</summary>
    public ulong Step;

    /// <summary>Packets that are asked for, ascending.</summary>
    public List<SequenceRange> Asked { get; } = [];

    /// <summary>Takes what a datagram says.</summary>
    public void Read(in OrderedTokenBody body)
    {
        Hop = body.Hop;
        Sequence = body.Sequence;
        Held = body.Held;
        LoweredBy = body.LoweredBy;
        Flow = body.Flow;
        Step = body.Step;
        Asked.Clear();
        foreach (SequenceRange range in body.Asked) Asked.Add(range);
    }
}
