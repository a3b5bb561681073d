using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Streams;
using QuickSilver.Protocol.Flow;
using QuickSilver.Protocol.Flow.Buffers;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// One group as this node sends to it: asks its sources for messages, numbers them and binds them, each in its turn.
/// Core thread only.
/// <para>
/// Messages stay with their sources (<see cref="IMessageSource"/>) until they can be sent: while the buffers of all
/// regions of the group have room, and no limit of pending is reached. A message that is taken is <em>bound</em> at
/// once. It takes its number and the active step, and counts as pending. It gets one entry in the stream of each region
/// view of the group that has a member other than this node. The binding of a group is computed at its first message in
/// a step. A group that the node has joined in a step that is not yet active waits for the switch.
/// </para>
/// <para>
/// While a group goes to one region view, and only groups of one region send there, it is <em>direct</em>: the packer
/// lets its sources write into the packet itself, and binding and packing are one. Otherwise groups take turns at the
/// buffers.
/// </para>
/// <para>
/// The sender lives until the server declares the group forgotten: message numbers, and the step of the message before,
/// survive leaves and joins. A group that was never sent to has only this object and an empty account.
/// </para>
/// <para>
/// Source: first paper, section 2.1 (group sender); the numbers per (sender, group) across views are ours.
/// </para>
/// </summary>
public sealed class GroupSender
{
    private readonly SendContext _context;
    private GroupBinding? _binding;
    private MessageSources? _sources;
    private MessageNumbers _numbers;
    private GroupGate _gate = new();
    private ulong _countedIn;
    private int _memberCount;
    private bool _isScheduled;
    private bool _isDirect;

    internal GroupSender(SendContext context, GroupInfo group, ISenderListener listener)
    {
        _context = context;
        Group = group;
        Listener = listener;
        Unfinished = new UnfinishedMessages(context);
    }

    /// <summary>Id, name and mode.</summary>
    public GroupInfo Group { get; }

    /// <summary>
    /// False while a limit of pending is reached. Changes together with calls of
    /// <see cref="ISenderListener.OnGateChanged"/>.
    /// </summary>
    public bool IsOpen => _gate.IsOpen;

    /// <summary>Number of the message bound last; 0 before the first.</summary>
    public ulong LastNumber => _numbers.Last;

    /// <summary>Messages taken from sources and not yet known stable.</summary>
    public long PendingMessages => Unfinished.PendingMessages;

    /// <summary>Their bytes.</summary>
    public long PendingBytes => Unfinished.PendingBytes;

    /// <summary>
    /// Members of the group in the step this node sends in, itself included; 0 before this node is in it.
    /// </summary>
    public int SendMemberCount
    {
        get
        {
            if (_countedIn != _context.Generation) NoteMembers(_context.Active.CountMembers(Group.Id));
            return _memberCount;
        }
    }

    /// <summary>Receives the events; replaced at each session of the node, null between two.</summary>
    internal ISenderListener? Listener { get; set; }

    /// <summary>True when nothing is in flight and no session is open: only the numbers are kept.</summary>
    internal bool IsIdle => Listener is null && Unfinished.IsOver && !_isScheduled && !_isDirect;

    /// <summary>Its messages that are not stable, or not delivered here.</summary>
    internal UnfinishedMessages Unfinished { get; }

    /// <summary>The numbers of its messages.</summary>
    internal ref readonly MessageNumbers Numbers => ref _numbers;

    /// <summary>
    /// True when messages or the gate of the group depend on a rebind as soon as the active step changes.
    /// </summary>
    internal bool MustRebind => !_gate.HasRoom || !_gate.IsOpen || _sources is { AnyReady: true };

    /// <summary>
    /// Calls back when everything taken from sources so far is stable; before the call returns when it is already.
    /// </summary>
    public void Flush(Action<Instant> flushed, Instant now) => Unfinished.Flush(flushed, now);

    /// <summary>
    /// Finds the views in which messages of the group are not known to be stable; with a ticket, the ticket's message.
    /// For diagnostics: examines everything that is pending.
    /// </summary>
    /// <param name="ticket">The message's ticket; null: all of the group's messages.</param>
    /// <param name="views">Views are added here.</param>
    /// <returns>True when some of it is still with its source, and cannot be bound before a newer step comes into
    /// use.</returns>
    public bool FindUnstable(SendTicket? ticket, List<RegionView> views)
    {
        foreach (StreamSender stream in _context.Streams.All)
        {
            if (stream.AwaitsStability(this, ticket)) views.Add(stream.View);
        }
        bool isTaken = ticket is not null && views.Count > 0;
        if (isTaken || _binding is null || _sources is not { AnyReady: true }) return false;
        // The message waits with its source for room, and so for every member there.
        _binding.AddViewsTo(views);
        return !_binding.IsBound;
    }

    /// <summary>
    /// Registers a source of messages; it is asked first after <see cref="Signal"/>, and only when a message could be
    /// sent.
    /// </summary>
    public void AddSource(IMessageSource source) => (_sources ??= new MessageSources()).Add(source);

    /// <summary>
    /// Marks a source as having messages: it is asked, in turn with other sources, until it returns that it has none.
    /// </summary>
    public void Signal(IMessageSource source, Instant now)
    {
        if (_sources is not { } sources || !sources.Signal(source)) return;
        _context.Loop.Enter();
        Schedule();
        _context.Loop.Leave(now);
    }

    /// <summary>Removes a source.</summary>
    public void RemoveSource(IMessageSource source) => _sources?.Remove(source);

    /// <summary>
    /// Removes all sources: the node leaves the group, and none of its messages may be bound before the node is
    /// admitted again.
    /// </summary>
    internal void RemoveSources() => _sources?.Clear();

    /// <summary>Binds one message, if it can, and schedules the next.</summary>
    /// <param name="wokenBy">The stream at which the group waited until now; null when it did not wait at one.</param>
    /// <param name="now">The present instant.</param>
    internal void BindNext(StreamSender? wokenBy, Instant now)
    {
        _isScheduled = false;
        // A group that cannot be bound is scheduled again by the switch.
        if (!EnsureBound(now) || TryGoDirect()) return;
        if (_binding!.FirstFull() is { } full)
        {
            WaitAt(full);
            return;
        }
        if (TryPull()) BindPulled(now);
        if (!HasWork || _isScheduled) return;
        StreamSender? line = wokenBy is not null && !wokenBy.Backlog.IsFull ? wokenBy : _binding.FirstWithLine();
        if (line is not null) WaitAt(line);
        else Schedule();
    }

    /// <summary>The group's index in the region of the one stream to which it is direct.</summary>
    internal int DirectIndex => _binding!.GroupIndexAt(0);

    /// <summary>Asks the group's sources for a message.</summary>
    /// <returns>True when one is in <see cref="SendContext.SourceWriter"/>; false when there is none.</returns>
    internal bool TryPull() => _sources is { } sources && sources.TryPull(in _gate, _context.SourceWriter);

    /// <summary>Numbers the message that was pulled, and puts it into the buffers of all regions of the
    /// group.</summary>
    internal void BindPulled(Instant now) => Bind(TakePulled(), now);

    /// <summary>Counts messages that were pulled and written into a packet: they have the numbers that follow, and the
    /// active step.</summary>
    /// <returns>Ordinal of the first, in the order in which messages were taken.</returns>
    internal ulong OnWritten(in DeliveryBatch batch)
    {
        NoteSent(batch.End - 1, batch.Count, batch.TotalLength);
        _binding!.AddToAccounts(batch.Count, batch.TotalLength);
        return Unfinished.Add(batch.Count, batch.TotalLength);
    }

    /// <summary>
    /// The group's sources have nothing, or shared messages use the stream: the loop schedules the group again.
    /// </summary>
    internal void OnDirectEnded()
    {
        _isDirect = false;
        if (HasWork) Schedule();
    }

    /// <summary>The stream at which the group waited has dropped it: the active step has changed.</summary>
    internal void OnDetached() => _isScheduled = false;

    /// <summary>The active step has changed while something of the group waited.</summary>
    internal void OnSwitched(Instant now)
    {
        if (_sources is { AnyReady: true }) _context.Settings.Probes.Hit(Mark.SourcesMovedToNewStep);
        EnsureBound(now);
        Schedule();
    }

    /// <summary>One of the group's gates has changed, or is found shut.</summary>
    internal void OnGate(bool open)
    {
        _gate.OnChanged(open);
        MarkGate();
    }

    /// <summary>Reports whether the group is open, if that has changed.</summary>
    internal void ReportGate(Instant now)
    {
        if (!_gate.TryConsumeChange()) return;
        bool open = _gate.IsOpen;
        _context.Settings.Probes.Hit(open ? Mark.GateOpened : Mark.GateShut);
        if (!open) _context.Counters.GatesShut++;
        else if (HasWork) Schedule();
        Listener?.OnGateChanged(open, now);
    }

    /// <summary>
    /// Drops the binding once the active step has changed after the session, unless the group has been joined again.
    /// </summary>
    internal void Unbind()
    {
        if (Listener is null && !_isScheduled && !_isDirect) _binding = null;
    }

    private bool HasWork => !_isDirect && _gate.HasRoom && _sources is { AnyReady: true };

    private bool TryGoDirect()
    {
        if (_isDirect) return true;
        if (!HasWork || _binding!.Count != 1) return false;
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
        stream.Backlog.Waiters.Enqueue(this);
    }

    private OutgoingMessage TakePulled()
    {
        MessageWriter writer = _context.SourceWriter;
        bool isHanded = writer.TryTakeHanded(out Payload? payload, out SendTicket? ticket);
        OutgoingMessage message = _context.Messages.Take(this, ticket);
        if (isHanded) message.Hold(payload!);
        else message.Hold(writer.Finish());
        message.Ordinal = Unfinished.Add(1, message.Length);
        _binding!.AddToAccounts(1, message.Length);
        return message;
    }

    private void Number(OutgoingMessage message)
    {
        message.Number = _numbers.Last + 1;
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
        bool carriesOwnCopy = false;
        for (int index = 0; index < binding.Count; index++)
        {
            StreamSender stream = binding.StreamAt(index);
            if (!stream.HasOthers)
            {
                message.Removed += stream.RemovedMembers;
                stream.Gate.Account.Remove(1, message.Length);
                continue;
            }
            carriesOwnCopy |= stream.IsOwn;
            message.Unpacked++;
            message.Unstable++;
            stream.Append(message, binding.GroupIndexAt(index), isShared: binding.Count > 1);
        }
        message.Ticket?.OnNumbered(message.Number, binding.View, binding.Members);
        bool sent = message.Unpacked > 0;
        if (binding.Count > 1) _context.Settings.Probes.Hit(Mark.MessageToSeveralRegions);
        if (!carriesOwnCopy) Unfinished.OnOwnCopyPacked(message, default, now);
        if (sent) return;
        _context.Settings.Probes.Hit(Mark.MessageToNobodyElse);
        message.ReleaseBytes();
        Unfinished.OnStable(message, now);
    }

    // Computes the binding again once per active step.
    private bool EnsureBound(Instant now)
    {
        _binding ??= new GroupBinding(_context, Group.Id);
        if (_binding.IsCurrent) return _binding.IsBound;
        _gate.Reset();
        _binding.Rebind(this, now);
        if (_binding.IsBound) NoteMembers(_binding.Members);
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
