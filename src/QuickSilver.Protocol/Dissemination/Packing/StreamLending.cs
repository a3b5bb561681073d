using System.Numerics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Probing;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination.Packing;

/// <summary>
/// Whether one stream's packets are lent: members read them where this node wrote them, and notes are sent instead of
/// packets.
/// <para>
/// Idea: lending requires that every live member has opened this node's segment; each opens it when it is offered. So
/// the segment is offered with the first train, and with each train whose number is twice that of the last offer, until
/// all members read it. A member that cannot open it costs ever less. The readers are checked again only when one has
/// come or gone, or a member was removed.
/// </para>
/// <para>
/// Awkward case: a member that closes the segment before it is removed from the view makes the stream send its packets
/// again. O(1) a train, O(members) after a change. Core thread only.
/// </para>
/// </summary>
/// <param name="context">The node's shared state.</param>
/// <param name="view">The view that the stream goes to.</param>
/// <param name="isPossible">False: the view's carrier cannot lend.</param>
internal sealed class StreamLending(SendContext context, RegionView view, bool isPossible)
{
    private readonly ISharedMemory? _memory = isPossible ? context.Transport.SharedMemory : null;
    private uint _changes = uint.MaxValue;
    private bool _allRead;
    private ulong _sentTrains;

    /// <summary>True when there is memory to lend from.</summary>
    public bool IsPossible => _memory is not null;

    /// <summary>True while an offer of the segment to the members is due.</summary>
    public bool OwesOffer { get; private set; }

    /// <summary>True when every live member reads this node's segment.</summary>
    public bool IsOn()
    {
        if (_memory is null) return false;
        uint changes = _memory.ReaderChanges;
        if (changes == _changes) return _allRead;
        _changes = changes;
        _allRead = AllRead(_memory);
        context.Settings.Probes.Reached(
            _allRead
                ? "all members of a view read this node's segment"
                : "not all members of a view read this node's segment");
        return _allRead;
    }

    /// <summary>A member was removed: it need not read any longer.</summary>
    public void OnMembersChanged() => _changes = _memory is { } memory ? memory.ReaderChanges - 1 : 0;

    /// <summary>Counts a train of packets that could have been lent if all members read the segment.</summary>
    public void OnSentTrain()
    {
        if (_memory is not null && !_allRead && BitOperations.IsPow2(++_sentTrains)) OwesOffer = true;
    }

    /// <summary>Writes the body of an offer.</summary>
    public void WriteOffer(Span<byte> body)
    {
        OwesOffer = false;
        new NoteBody(_memory!.Segment, default).WriteTo(body);
    }

    private bool AllRead(ISharedMemory memory)
    {
        foreach (NodeInfo member in view.Members)
        {
            if (member.IsRemoved || member.Number.Key == context.SelfKey) continue;
            if (!memory.IsReadBy(member.Number.Key)) return false;
        }
        return true;
    }
}
