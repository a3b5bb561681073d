using System.Numerics;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination.Streams;

/// <summary>
/// Whether one stream's packets are lent: read by all members where this node wrote them, and told of by notes, instead of being sent.
/// <para>
/// Idea: that needs every live member to have opened this node's segment, which each does when it is offered. So the segment is offered beside the
/// first train, and beside every one whose number is twice that of the last time, until all members read it; who cannot, never will, and costs ever
/// less. Whether all do is looked up again only when a reader has come or gone, or a member was removed.
/// </para>
/// Awkward case: a member that closes the segment before it is removed from the view makes the stream send its packets again. O(1) a train, O(members)
/// after a change. Core thread only.
/// </summary>
/// <param name="context">The node's.</param>
/// <param name="view">The view that the stream goes to.</param>
/// <param name="isPossible">False: the view is carried in a way that lends nothing.</param>
internal sealed class StreamLending(SendContext context, RegionView view, bool isPossible)
{
    private readonly ISharedMemory? _memory = isPossible ? context.Transport.SharedMemory : null;
    private uint _changes = uint.MaxValue;
    private bool _allRead;
    private ulong _sentTrains;

    /// <summary>True when there is memory to lend from.</summary>
    public bool IsPossible => _memory is not null;

    /// <summary>True when the segment is to be offered to the members.</summary>
    public bool OwesOffer { get; private set; }

    /// <summary>True when every live member reads what lies in this node's segment.</summary>
    public bool IsOn()
    {
        if (_memory is null) return false;
        uint changes = _memory.ReaderChanges;
        if (changes == _changes) return _allRead;
        _changes = changes;
        _allRead = AllRead(_memory);
        context.Settings.Probes.Hit(_allRead ? Mark.StreamLends : Mark.StreamDoesNotLend);
        return _allRead;
    }

    /// <summary>A member was removed: it need not read any more.</summary>
    public void OnMembersChanged() => _changes = _memory is { } memory ? memory.ReaderChanges - 1 : 0;

    /// <summary>A train of packets left that could have been lent if all members read the segment.</summary>
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
            if (!member.IsRemoved && member.Number.Key != context.SelfKey && !memory.IsReadBy(member.Number.Key)) return false;
        }
        return true;
    }
}
