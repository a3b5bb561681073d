using System.Runtime.InteropServices;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Wire;
using QuickSilver.Testing.Invariants;
using QuickSilver.Testing.Runs;

namespace QuickSilver.Testing.Nodes;

/// <summary>One session of one simulated node in one group, as a member or as a publisher: what it sends there and what
/// it has received, nothing if it is a publisher.</summary>
internal sealed class SimulatedGroup : IGroupListener
{
    private readonly Dictionary<int, ReceiverPlace> _places = [];
    private readonly List<ReceivedMessage> _received = [];
    private readonly List<(int Sender, ulong First, ulong Count)> _lost = [];
    private readonly Dictionary<int, Dictionary<ulong, bool>> _unordered = [];
    private readonly List<long> _transitions = [];
    private ulong _othersBeginBy;

    internal SimulatedGroup(
        SimulatedNode node, GroupId id, GroupLog log, StepNumber began, bool isPublisher = false)
    {
        IsPublisher = isPublisher;
        Node = node;
        Id = id;
        Log = log;
        Began = began;
    }

    /// <summary>The node.</summary>
    public SimulatedNode Node { get; }

    /// <summary>True for the session of a publisher.</summary>
    public bool IsPublisher { get; }

    /// <summary>Name of the group.</summary>
    public string Name => Log.Name;

    /// <summary>The protocol's own object.</summary>
    public LocalGroup Local { get; internal set; } = null!;

    /// <summary>The step with which the session began.</summary>
    public StepNumber Began { get; }

    /// <summary>True until the node has left the group.</summary>
    public bool IsOpen { get; internal set; } = true;

    /// <summary>True once the join has returned: every sender sends to this node.</summary>
    public bool IsJoined { get; internal set; }

    /// <summary>Messages received, in the order of delivery.</summary>
    public IReadOnlyList<ReceivedMessage> Received => _received;

    /// <summary>Messages delivered in this session.</summary>
    public long Delivered { get; private set; }

    /// <summary>Sum of the times from the admission of each delivered message at its sender to its delivery
    /// here.</summary>
    public TimeSpan DeliveryTimes { get; private set; }

    /// <summary>The longest of these times.</summary>
    public TimeSpan LongestDelivery { get; private set; }

    /// <summary>Losses reported.</summary>
    public int Losses { get; internal set; }

    /// <summary>Messages of the application that the protocol has not asked for.</summary>
    public int Waiting => (Source?.Sizes.Count ?? 0) + (int)(Staged - TakenFromStage) + Together;

    /// <summary>Messages that were delivered when the session was told who goes on together.</summary>
    public IReadOnlyList<long> Transitions => _transitions;

    internal GroupLog Log { get; }

    internal GroupId Id { get; }

    internal SimulatedSource? Source { get; set; }

    /// <summary>Messages that entered the stage of all groups.</summary>
    internal long Staged { get; set; }

    /// <summary>Messages to several groups, of which this is one, that the protocol has not asked for.</summary>
    internal int Together { get; set; }

    /// <summary>Messages that left it.</summary>
    internal long TakenFromStage { get; set; }

    /// <summary>The long messages that arrive; null before the first.</summary>
    internal LongMessages? Incoming { get; set; }

    /// <summary>Those that are not at their end.</summary>
    internal HashSet<LongMessageChecks.Incoming> LongMessages { get; } = [];

    /// <summary>Makes messages pieces of long messages; null: the session sends none.</summary>
    internal SimulatedWriters? Writers { get; set; }

    internal void CountDelivery(TimeSpan took)
    {
        Delivered++;
        DeliveryTimes += took;
        if (took > LongestDelivery) LongestDelivery = took;
    }

    internal void AddLoss(int sender, ulong first, ulong count) => _lost.Add((sender, first, count));

    internal bool HasDelivered(int sender, ulong number)
    {
        ReceiverPlace place = _places.GetValueOrDefault(sender);
        if (place.First == 0 || number < place.First || number >= place.Next) return false;
        return !_lost.Exists(loss => loss.Sender == sender && number >= loss.First && number < loss.First + loss.Count);
    }

    /// <summary>The mode of the group.</summary>
    internal byte Mode => SimulatedModes.Of(Name);

    /// <summary>What was delivered of a sender, or reported lost, without order: true for lost.</summary>
    internal Dictionary<ulong, bool> UnorderedOf(int sender)
    {
        if (!_unordered.TryGetValue(sender, out Dictionary<ulong, bool>? numbers))
            _unordered.Add(sender, numbers = []);
        return numbers;
    }

    /// <summary>How far the session is with a sender. The reference is valid until another sender is asked
    /// for.</summary>
    internal ref ReceiverPlace PlaceOf(int sender)
    {
        ref ReceiverPlace place = ref CollectionsMarshal.GetValueRefOrAddDefault(_places, sender, out bool isKnown);
        if (!isKnown) place.MustBeginBy = _othersBeginBy;
        return ref place;
    }

    /// <summary>From now on the session misses no message of any sender. Of a sender without a place it has to get the
    /// first.</summary>
    internal void BeginByNow()
    {
        foreach (int sender in Log.Senders) PlaceOf(sender);
        foreach (int sender in _places.Keys)
        {
            ref ReceiverPlace place = ref CollectionsMarshal.GetValueRefOrNullRef(_places, sender);
            if (place.Next == 0) place.MustBeginBy = (ulong)(Log.Find(sender)?.Count ?? 0) + 1;
        }
        _othersBeginBy = 1;
    }

    internal void Add(int sender, ulong number) => _received.Add(new ReceivedMessage(sender, number));

    void IDeliveryListener.OnMessages(NodeInfo sender, in DeliveryBatch run, Instant now) =>
        Node.Application.OnMessages(this, sender, run);

    void IDeliveryListener.OnLoss(NodeInfo sender, ulong first, ulong count, Instant now) =>
        Node.Application.OnLoss(this, sender, first, count);

    void IDeliveryListener.OnSenderClosed(NodeInfo sender, Instant now) => Incoming?.OnSenderClosed(sender);

    void IGroupListener.OnViewChanged(Instant now) => Node.Application.OnViewChanged(this);

    void IGroupListener.OnTransition(IReadOnlyList<NodeInfo> together, Instant now)
    {
        _transitions.Add(Delivered);
        Node.Application.OnTransition(this, together);
    }

    void IGroupListener.OnGateChanged(bool open, Instant now)
    {
        // The source keeps what it has, and is asked again by the protocol.
    }
}
