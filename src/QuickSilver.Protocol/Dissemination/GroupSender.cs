using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination;

/// <summary>
/// One group as this node sends to it: order and numbers, the admission queue, the sources of messages. Core thread only.
/// <para>
/// A message is admitted at any time, counted as pending at once, and waits in the queue until the buffers of all regions of the group have room.
/// Then it is <em>bound</em>: it takes its number and the active step, and gets one entry in the stream of each region view of the group that has a
/// member other than this node. The binding of a group is worked out at its first message in a step. A group that the node has joined in a step that is
/// not yet active waits for the switch.
/// </para>
/// <para>
/// The sender lives as long as its node: message numbers, and the step of the message before, survive leaves and joins. A group that was never sent
/// to has no more than this object.
/// </para>
/// Source: first paper, section 2.1 (group sender); the numbers per (sender, group) across views are ours.
/// </summary>
public sealed class GroupSender
{
    private readonly SendContext _context;
    private GroupBinding? _binding;
    private MessageSources? _sources;
    private FlushMarkers? _flushes;
    private SelfDelivery _own;
    private AdmissionQueue _queue;
    private StepNumber _previousStep;
    private long _outstanding;
    private ulong _ordinal;
    private ulong _boundIn;
    private ulong _countedIn;
    private int _memberCount;
    private int _shutGates;
    private int _turn;
    private bool _isBound;
    private bool _isScheduled;
    private bool _hasWaited;
    private bool _gateMarked;
    private bool _shutMeanwhile;

    internal GroupSender(SendContext context, GroupInfo group)
    {
        _context = context;
        Group = group;
    }

    /// <summary>Id, name and mode.</summary>
    public GroupInfo Group { get; }

    /// <summary>The stack's own object for the group.</summary>
    public object? Tag { get; set; }

    /// <summary>False while a limit of pending is reached: from when <see cref="IDisseminationEvents.OnGateChanged"/> said so until it said
    /// otherwise.</summary>
    public bool IsOpen { get; private set; } = true;

    /// <summary>True while no limit of pending is reached now, told or not: what a host looks at that sends more than once in one call. Who stops
    /// because it is false hears of the gate again.</summary>
    public bool HasRoom => _shutGates == 0;

    /// <summary>True when nothing admitted waits to be bound. When it is false, <see cref="IDisseminationEvents.OnDrained"/> will follow. Sources do
    /// not count.</summary>
    public bool IsDrained => _queue.IsEmpty;

    /// <summary>Number of the message bound last; 0 before the first.</summary>
    public ulong LastNumber { get; private set; }

    /// <summary>Messages admitted and not yet known stable.</summary>
    public long Outstanding => _outstanding;

    /// <summary>Bytes of messages admitted and not yet known stable.</summary>
    public long OutstandingBytes { get; private set; }

    /// <summary>Members of the group in the step this node sends in, itself included; 0 before this node is in it.</summary>
    public int SendMemberCount
    {
        get
        {
            if (_countedIn != _context.Generation) CountMembers();
            return _memberCount;
        }
    }

    /// <summary>True when something of the group depends on being bound again as soon as the active step changes.</summary>
    internal bool MustRebind => !_queue.IsEmpty || _shutGates > 0 || !IsOpen || (_sources is not null && _sources.AnyReady);

    /// <summary>Admits a message, open or not: the host stops when told that the gate has shut. Allocates nothing in steady state.</summary>
    /// <param name="payload">The bytes, with one reference that passes to the sender.</param>
    /// <param name="ticket">Told when the message is numbered and when it is stable; may be null.</param>
    /// <param name="now">The present instant.</param>
    public void Admit(Payload payload, SendTicket? ticket, Instant now)
    {
        _context.Loop.Enter();
        OutgoingMessage message = _context.Messages.Take(this, ticket);
        message.Hold(payload);
        EnsureBound(now);
        Account(message);
        _queue.Add(message);
        _hasWaited |= _context.Loop.IsNested;
        Schedule();
        _context.Loop.Leave(now);
    }

    /// <summary>Asks to be told when everything admitted so far is stable; told before the call returns when it is already.</summary>
    public void Flush(Action<Instant> flushed, Instant now)
    {
        if (_outstanding == 0)
        {
            flushed(now);
            return;
        }
        _flushes ??= new FlushMarkers();
        _flushes.Add(_ordinal, _outstanding, flushed);
    }

    /// <summary>The views in which messages of the group are not known to be stable; with a ticket, the ticket's message. For people: looks at
    /// everything that is pending.</summary>
    /// <param name="ticket">The message's; null: all of the group's messages.</param>
    /// <param name="views">Views are added here.</param>
    /// <returns>True when some of it is not bound yet, and cannot be before a newer step comes into use.</returns>
    public bool FindUnstable(SendTicket? ticket, List<RegionView> views)
    {
        foreach (StreamSender stream in _context.Streams.All)
        {
            if (stream.AwaitsStability(this, ticket)) views.Add(stream.View);
        }
        if (!_queue.Holds(this, ticket)) return false;
        // Waits for room in a region's buffer, and so for everybody there.
        if (_isBound) _binding!.AddViewsTo(views);
        return !_isBound;
    }

    /// <summary>Registers a source of messages; it is asked first after <see cref="Signal"/>, and only when a message could be sent.</summary>
    public void AddSource(IMessageSource source)
    {
        _sources ??= new MessageSources();
        _sources.Add(source);
    }

    /// <summary>Says that a source has something to send: it is asked, in turn with other sources and with admitted messages, until it says that it
    /// has nothing.</summary>
    public void Signal(IMessageSource source, Instant now)
    {
        if (_sources is null || !_sources.Signal(source)) return;
        _context.Loop.Enter();
        Schedule();
        _context.Loop.Leave(now);
    }

    /// <summary>Forgets a source.</summary>
    public void RemoveSource(IMessageSource source) => _sources?.Remove(source);

    /// <summary>Binds one message, if it can, and sees to it that the next has its turn.</summary>
    /// <param name="wokenBy">The stream at which the group waited until now; null when it did not wait at one.</param>
    /// <param name="now">The present instant.</param>
    internal void BindNext(StreamSender? wokenBy, Instant now)
    {
        _isScheduled = false;
        if (!EnsureBound(now))
        {
            // Bound again, and scheduled, by the switch: what waits in the queue makes it so.
            _hasWaited |= !_queue.IsEmpty;
            return;
        }
        if (_binding!.FirstFull() is { } full)
        {
            WaitAt(full);
            return;
        }
        if (Next(now) is { } message) Bind(message, now);
        if (_hasWaited && _queue.IsEmpty)
        {
            _hasWaited = false;
            _context.Events.OnDrained(this, now);
        }
        if (!HasWork || _isScheduled) return;
        _hasWaited |= !_queue.IsEmpty;
        StreamSender? line = wokenBy is not null && !wokenBy.Backlog.IsFull ? wokenBy : _binding.FirstWithLine();
        if (line is not null) WaitAt(line);
        else Schedule();
    }

    /// <summary>The stream at which the group waited no longer keeps it: the active step has changed.</summary>
    internal void OnUnparked() => _isScheduled = false;

    /// <summary>The active step has changed while something of the group waited.</summary>
    internal void OnSwitched(Instant now)
    {
        EnsureBound(now);
        Schedule();
    }

    /// <summary>One of the group's gates has changed, or is found shut.</summary>
    internal void OnGate(bool open)
    {
        if (open && _context.Settings.Probes.Breaks(Sabotage.GateStaysShut)) return;
        _shutGates += open ? -1 : 1;
        _shutMeanwhile |= !open;
        MarkGate();
    }

    /// <summary>Tells whether the group is open, if that has changed.</summary>
    internal void TellGate(Instant now)
    {
        _gateMarked = false;
        bool open = _shutGates == 0;
        // Shut and opened again since it was told: whoever stopped in between, because there was no room, is told once more.
        bool again = open && IsOpen && _shutMeanwhile;
        _shutMeanwhile = false;
        if (open == IsOpen && !again) return;
        IsOpen = open;
        _context.Settings.Probes.Hit(open ? Mark.GateOpened : Mark.GateShut);
        if (!open) _context.Counters.GatesShut++;
        else if (HasWork) Schedule();
        _context.Events.OnGateChanged(this, open, now);
    }

    /// <summary>All of a message is packed in this node's own region's stream, or the stream gave up: it may be delivered here.</summary>
    /// <param name="message">The message.</param>
    /// <param name="inPacket">Where a packet holds it in one piece; empty when none does.</param>
    /// <param name="now">The present instant.</param>
    internal void OnOwnCopyPacked(OutgoingMessage message, Slice inPacket, Instant now)
    {
        Slice bytes = inPacket.IsEmpty ? message.Pooled : inPacket;
        if (!bytes.IsEmpty)
        {
            _own.Ready(_context, message, bytes, now);
            return;
        }
        bytes = _context.Copy(message.Span);
        _own.Ready(_context, message, bytes, now);
        bytes.Release();
    }

    /// <summary>A message is stable in every stream that carries it.</summary>
    internal void OnStable(OutgoingMessage message, Instant now)
    {
        message.IsComplete = true;
        _outstanding--;
        OutstandingBytes -= message.Length;
        ulong ordinal = message.Ordinal;
        if (!_context.IsClosed)
        {
            message.Ticket?.OnStable(message.Removed, now);
            _flushes?.OnStable(ordinal, now);
        }
        if (message.OwnDone) _context.Messages.Return(message);
    }

    /// <summary>Drops what waits to be bound.</summary>
    internal void Close()
    {
        while (!_queue.IsEmpty) _queue.Take().ReleaseBytes();
    }

    private bool HasWork => !_queue.IsEmpty || (_shutGates == 0 && _sources is not null && _sources.AnyReady);

    private void Schedule()
    {
        if (_isScheduled) return;
        _isScheduled = true;
        _context.Loop.Schedule(this);
    }

    private void WaitAt(StreamSender stream)
    {
        _context.Settings.Probes.Hit(Mark.GroupWaitedForRoom);
        _isScheduled = true;
        _hasWaited |= !_queue.IsEmpty;
        stream.Backlog.Waiters.Enqueue(this);
    }

    // The next message of the queue and the sources, taking turns; null when there is none.
    private OutgoingMessage? Next(Instant now)
    {
        int turns = 1 + (_sources?.Count ?? 0);
        for (int tried = 0; tried < turns; tried++)
        {
            int turn = _turn % turns;
            _turn = turn + 1;
            if (turn == 0 && !_queue.IsEmpty) return _queue.Take();
            if (turn == 0 || _shutGates > 0 || !_sources!.TryAsk(turn - 1, _context.SourceWriter)) continue;
            OutgoingMessage message = _context.Messages.Take(this, ticket: null);
            message.Hold(_context.SourceWriter.Finish());
            Account(message);
            return message;
        }
        return null;
    }

    private void Bind(OutgoingMessage message, Instant now)
    {
        GroupBinding binding = _binding!;
        message.Number = ++LastNumber;
        if (_context.Settings.Probes.Breaks(Sabotage.NumberSkipped) && LastNumber % 32 == 0) message.Number = ++LastNumber;
        message.Step = _context.ActiveStep;
        message.PreviousStep = _context.Settings.Probes.Breaks(Sabotage.PreviousStepLost) ? default : _previousStep;
        _previousStep = message.Step;
        _context.Counters.MessagesSent++;
        _context.Counters.BytesSent += (ulong)message.Length;
        _own.Append(message);

        bool carriedHome = false;
        for (int index = 0; index < binding.Count; index++)
        {
            StreamSender stream = binding.StreamAt(index);
            if (!stream.HasOthers)
            {
                message.Removed += stream.RemovedMembers;
                stream.Gate.Account.Remove(1, message.Length);
                continue;
            }
            carriedHome |= stream.IsOwn;
            message.Unpacked++;
            message.Unstable++;
            stream.Append(message, binding.GroupIndexAt(index));
        }
        message.Ticket?.OnNumbered(message.Number, binding.View, binding.Members);
        bool sent = message.Unpacked > 0;
        if (binding.Count > 1) _context.Settings.Probes.Hit(Mark.MessageToSeveralRegions);
        if (!carriedHome && !(sent && _context.Settings.Probes.Breaks(Sabotage.OwnMessageForgotten))) OnOwnCopyPacked(message, default, now);
        if (sent) return;
        _context.Settings.Probes.Hit(Mark.MessageToNobodyElse);
        message.ReleaseBytes();
        OnStable(message, now);
    }

    // A message counts as pending in every stream of the group from its admission on.
    private void Account(OutgoingMessage message)
    {
        message.Ordinal = ++_ordinal;
        _outstanding++;
        OutstandingBytes += message.Length;
        AddToAccounts(1, message.Length);
    }

    private void AddToAccounts(int messages, long bytes)
    {
        if (!_isBound)
        {
            _context.WaitingForStep.Account.Add(messages, bytes);
            return;
        }
        _binding!.AddToAccounts(messages, bytes);
    }

    private void RemoveFromAccounts(int messages, long bytes)
    {
        if (!_isBound)
        {
            _context.WaitingForStep.Account.Remove(messages, bytes);
            return;
        }
        _binding!.RemoveFromAccounts(messages, bytes);
    }

    // Works the binding out anew once per active step; what waits in the queue moves to the new streams' accounts.
    private bool EnsureBound(Instant now)
    {
        if (_boundIn == _context.Generation) return _isBound;
        if (!_queue.IsEmpty)
        {
            _context.Settings.Probes.Hit(Mark.QueueMovedToNewStep);
            RemoveFromAccounts(_queue.Count, _queue.Bytes);
        }
        _boundIn = _context.Generation;
        _shutGates = 0;
        _binding?.Clear();
        _isBound = _context.Active.Contains(Group.Id);
        if (_isBound)
        {
            _binding ??= new GroupBinding();
            _binding.Rebind(_context, Group.Id, now);
            _binding.AttachToGates(this);
            CountMembers();
        }
        else
        {
            _context.Settings.Probes.Hit(Mark.BindingWaitsForStep);
            _context.WaitingForStep.Attach(this);
        }
        if (!_queue.IsEmpty) AddToAccounts(_queue.Count, _queue.Bytes);
        MarkGate();
        return _isBound;
    }

    private void CountMembers()
    {
        _countedIn = _context.Generation;
        _memberCount = 0;
        if (!_context.Active.Contains(Group.Id)) return;
        IReadOnlyList<RegionView> views = _context.Active.Of(Group.Id);
        for (int index = 0; index < views.Count; index++) _memberCount += views[index].Members.Length;
    }

    private void MarkGate()
    {
        if (_gateMarked) return;
        _gateMarked = true;
        _context.Loop.MarkGate(this);
    }
}
