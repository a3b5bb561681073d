using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination;

/// <summary>
/// One group as this node sends to it: admits its messages, gives them their numbers and binds them, each in its turn. Core thread only.
/// <para>
/// A message is admitted at any time, counted as pending at once, and waits in the queue until the buffers of all regions of the group have room.
/// Then it is <em>bound</em>: it takes its number and the active step, and gets one entry in the stream of each region view of the group that has a
/// member other than this node. The binding of a group is worked out at its first message in a step. A group that the node has joined in a step that
/// is not yet active waits for the switch.
/// </para>
/// <para>
/// What a source writes is asked for as late as can be. While a group has nothing admitted, goes to one region view, and only such groups send there,
/// it is <em>direct</em>: the packer lets its sources write into the packet itself, and binding and packing are one. Otherwise sources and admitted
/// messages take turns at the buffers.
/// </para>
/// <para>
/// The sender lives as long as its node: message numbers, and the step of the message before, survive leaves and joins. A group that was never sent
/// to has no more than this object and an empty account.
/// </para>
/// Source: first paper, section 2.1 (group sender); the numbers per (sender, group) across views are ours.
/// </summary>
public sealed class GroupSender
{
    private readonly SendContext _context;
    private GroupBinding? _binding;
    private MessageSupply _supply;
    private MessageNumbers _numbers;
    private GroupGate _gate = new();
    private ulong _countedIn;
    private int _memberCount;
    private bool _isScheduled;
    private bool _isDirect;

    // Something admitted was left waiting: IDisseminationEvents.OnDrained is owed as soon as nothing is.
    private bool _owesDrained;

    internal GroupSender(SendContext context, GroupInfo group, ISenderListener listener)
    {
        _context = context;
        _numbers = new MessageNumbers(context.Settings.Probes);
        Group = group;
        Listener = listener;
        Unfinished = new UnfinishedMessages(context);
    }

    /// <summary>Id, name and mode.</summary>
    public GroupInfo Group { get; }

    /// <summary>False while a limit of pending is reached: from when <see cref="ISenderListener.OnGateChanged"/> said so
    /// until it said otherwise.</summary>
    public bool IsOpen => _gate.IsOpen;

    /// <summary>True while no limit of pending is reached now, told or not: what a host looks at that sends more than once in one call. Who stops
    /// because it is false hears of the gate again.</summary>
    public bool HasRoom => _gate.HasRoom;

    /// <summary>True when nothing admitted waits to be bound. When it is false, <see cref="IDisseminationEvents.OnDrained"/> will follow. Sources do
    /// not count.</summary>
    public bool IsDrained => _supply.Admitted.IsEmpty;

    /// <summary>Number of the message bound last; 0 before the first.</summary>
    public ulong LastNumber => _numbers.Last;

    /// <summary>Messages admitted and not yet known stable.</summary>
    public long PendingMessages => Unfinished.PendingMessages;

    /// <summary>Bytes of messages admitted and not yet known stable.</summary>
    public long PendingBytes => Unfinished.PendingBytes;

    /// <summary>Members of the group in the step this node sends in, itself included; 0 before this node is in it.</summary>
    public int SendMemberCount
    {
        get
        {
            if (_countedIn != _context.Generation) NoteMembers(_context.Active.CountMembers(Group.Id));
            return _memberCount;
        }
    }

    /// <summary>Told what happens; another one at each stay of the node.</summary>
    internal ISenderListener Listener { get; set; }

    /// <summary>Its messages that are not stable, or not delivered here.</summary>
    internal UnfinishedMessages Unfinished { get; }

    /// <summary>The numbers of its messages.</summary>
    internal ref readonly MessageNumbers Numbers => ref _numbers;

    /// <summary>True when something of the group depends on being bound again as soon as the active step changes.</summary>
    internal bool MustRebind => !_supply.Admitted.IsEmpty || !_gate.HasRoom || !_gate.IsOpen || _supply.AnySourceReady;

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
        _supply.Admitted.Add(message);
        // Inside another call it is bound only when that ends: whoever looks at IsDrained before has to be told.
        if (_context.Loop.IsNested) NoteWaiting();
        Schedule();
        _context.Loop.Leave(now);
        // A group that stands in a stream's line already, for its sources, is not scheduled again: no turn of the loop has noted the message.
        NoteWaiting();
    }

    /// <summary>Asks to be told when everything admitted so far is stable; told before the call returns when it is already.</summary>
    public void Flush(Action<Instant> flushed, Instant now) => Unfinished.Flush(flushed, now);

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
        if (!_supply.Admitted.Holds(this, ticket)) return false;
        // Waits for room in a region's buffer, and so for everybody there.
        _binding!.AddViewsTo(views);
        return !_binding.IsBound;
    }

    /// <summary>Registers a source of messages; it is asked first after <see cref="Signal"/>, and only when a message could be sent.</summary>
    public void AddSource(IMessageSource source) => _supply.AddSource(source);

    /// <summary>Says that a source has something to send: it is asked, in turn with other sources and with admitted messages, until it says that it
    /// has nothing.</summary>
    public void Signal(IMessageSource source, Instant now)
    {
        if (!_supply.Signal(source)) return;
        _context.Loop.Enter();
        Schedule();
        _context.Loop.Leave(now);
    }

    /// <summary>Forgets a source.</summary>
    public void RemoveSource(IMessageSource source) => _supply.RemoveSource(source);

    /// <summary>Binds one message, if it can, and sees to it that the next has its turn.</summary>
    /// <param name="wokenBy">The stream at which the group waited until now; null when it did not wait at one.</param>
    /// <param name="now">The present instant.</param>
    internal void BindNext(StreamSender? wokenBy, Instant now)
    {
        _isScheduled = false;
        if (!EnsureBound(now))
        {
            // Bound again, and scheduled, by the switch: what waits in the queue makes it so.
            NoteWaiting();
            return;
        }
        if (TryGoDirect()) return;
        if (_binding!.FirstFull() is { } full)
        {
            WaitAt(full);
            return;
        }
        if (Next() is { } message) Bind(message, now);
        if (_owesDrained && _supply.Admitted.IsEmpty)
        {
            _owesDrained = false;
            _context.Events.OnDrained(this, now);
        }
        if (!HasWork || _isScheduled) return;
        NoteWaiting();
        StreamSender? line = wokenBy is not null && !wokenBy.Backlog.IsFull ? wokenBy : _binding.FirstWithLine();
        if (line is not null) WaitAt(line);
        else Schedule();
    }

    /// <summary>The group's index in the region of the one stream to which it is direct.</summary>
    internal int DirectIndex => _binding!.GroupIndexAt(0);

    /// <summary>Asks the direct group's sources for a message.</summary>
    /// <returns>True when it is in <see cref="SendContext.SourceWriter"/>; false when there is none.</returns>
    internal bool TryPull() => _supply.TryPull(in _gate, _context.SourceWriter);

    /// <summary>What was pulled cannot stay where it was written: it goes through the buffer.</summary>
    internal void BindPulled(Instant now) => Bind(TakePulled(), now);

    /// <summary>Messages were pulled and written into a packet: they have the numbers that follow, and the active step.</summary>
    /// <returns>Place of the first in the order of admission.</returns>
    internal ulong OnWritten(in MessageRun run)
    {
        NoteSent(run.End - 1, run.Count, run.TotalLength);
        _binding!.AddToAccounts(run.Count, run.TotalLength);
        return Unfinished.Add(run.Count, run.TotalLength);
    }

    /// <summary>The group's sources have nothing, or others use the stream: the loop looks after it again.</summary>
    internal void OnDirectEnded()
    {
        _isDirect = false;
        if (HasWork) Schedule();
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
        _gate.OnChanged(open);
        MarkGate();
    }

    /// <summary>Tells whether the group is open, if there is news.</summary>
    internal void TellGate(Instant now)
    {
        if (!_gate.TakeNews()) return;
        bool open = _gate.IsOpen;
        _context.Settings.Probes.Hit(open ? Mark.GateOpened : Mark.GateShut);
        if (!open) _context.Counters.GatesShut++;
        else if (HasWork) Schedule();
        Listener.OnGateChanged(open, now);
    }

    /// <summary>Drops what waits to be bound.</summary>
    internal void Close()
    {
        while (!_supply.Admitted.IsEmpty) _supply.Admitted.Take().ReleaseBytes();
    }

    private bool HasWork => !_supply.Admitted.IsEmpty || (!_isDirect && _gate.HasRoom && _supply.AnySourceReady);

    private bool TryGoDirect()
    {
        if (_isDirect) return _supply.Admitted.IsEmpty;
        if (!_supply.Admitted.IsEmpty || !HasWork || _binding!.Count != 1) return false;
        StreamSender stream = _binding.StreamAt(0);
        if (!stream.HasOthers || !stream.Backlog.IsLeftToSources) return false;
        if (_context.Settings.Probes.Here(BuggifySite.SourceKeptFromPackets)) return false;
        _isDirect = true;
        stream.AddDirect(this);
        return true;
    }

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
        NoteWaiting();
        stream.Backlog.Waiters.Enqueue(this);
    }

    private void NoteWaiting() => _owesDrained |= !_supply.Admitted.IsEmpty;

    // The next message of the queue and the sources; null when there is none.
    private OutgoingMessage? Next()
    {
        if (!_supply.TryNext(in _gate, _context.SourceWriter, out OutgoingMessage? message)) return null;
        return message ?? TakePulled();
    }

    private OutgoingMessage TakePulled()
    {
        OutgoingMessage message = _context.Messages.Take(this, ticket: null);
        message.IsPulled = true;
        message.Hold(_context.SourceWriter.Finish());
        Account(message);
        return message;
    }

    private void Number(OutgoingMessage message)
    {
        message.Number = _numbers.After(_numbers.Last);
        message.Step = _context.ActiveStep;
        message.PreviousStep = _numbers.LastStep;
        NoteSent(message.Number, 1, message.Length);
        Unfinished.OnNumbered(message);
    }

    private void NoteSent(ulong last, int messages, long bytes)
    {
        _numbers.Advance(last, _context.ActiveStep);
        _context.Counters.MessagesSent += (ulong)messages;
        _context.Counters.BytesSent += (ulong)bytes;
    }

    // Numbers a message, and puts it into the buffers of all regions of the group.
    private void Bind(OutgoingMessage message, Instant now)
    {
        Number(message);
        GroupBinding binding = _binding!;
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
            stream.Append(message, binding.GroupIndexAt(index), isPulled: message.IsPulled && binding.Count == 1);
        }
        message.Ticket?.OnNumbered(message.Number, binding.View, binding.Members);
        bool sent = message.Unpacked > 0;
        if (binding.Count > 1) _context.Settings.Probes.Hit(Mark.MessageToSeveralRegions);
        if (!carriedHome && !(sent && _context.Settings.Probes.Breaks(Sabotage.OwnMessageForgotten)))
        {
            Unfinished.OnOwnCopyPacked(message, default, now);
        }
        if (sent) return;
        _context.Settings.Probes.Hit(Mark.MessageToNobodyElse);
        message.ReleaseBytes();
        Unfinished.OnStable(message, now);
    }

    // A message counts as pending in every stream of the group from its admission on.
    private void Account(OutgoingMessage message)
    {
        message.Ordinal = Unfinished.Add(1, message.Length);
        _binding!.AddToAccounts(1, message.Length);
    }

    // Works the binding out anew once per active step; what waits in the queue moves to the new streams' accounts.
    private bool EnsureBound(Instant now)
    {
        _binding ??= new GroupBinding(_context, Group.Id);
        if (_binding.IsCurrent) return _binding.IsBound;
        if (!_supply.Admitted.IsEmpty)
        {
            _context.Settings.Probes.Hit(Mark.QueueMovedToNewStep);
            _binding.RemoveFromAccounts(_supply.Admitted.Count, _supply.Admitted.Bytes);
        }
        _gate.Reset();
        _binding.Rebind(this, now);
        if (_binding.IsBound) NoteMembers(_binding.Members);
        if (!_supply.Admitted.IsEmpty) _binding.AddToAccounts(_supply.Admitted.Count, _supply.Admitted.Bytes);
        MarkGate();
        return _binding.IsBound;
    }

    private void NoteMembers(int count)
    {
        _countedIn = _context.Generation;
        _memberCount = count;
    }

    private void MarkGate()
    {
        if (_gate.TryMark()) _context.Loop.MarkGate(this);
    }
}
