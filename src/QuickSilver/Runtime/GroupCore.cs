using QuickSilver.Loop;
using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Delivery;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Stack;
using QuickSilver.Protocol.Wire;
using QuickSilver.Sending;

namespace QuickSilver.Runtime;

/// <summary>
/// One node's membership in one group, or its permission to publish there, shared by all its handles. Its other parts
/// receive, send, and carry long messages. Core thread only, unless a member says otherwise.
/// </summary>
internal sealed partial class GroupCore : StagedGroup, IGroupListener
{
    // In place of the layout at the leave: the view is made and stays.
    private static readonly GroupLayout Settled = new(default, null, default, [], [], []);

    private readonly NodeCore _node;

    // The only handle; null when there are several (Rarities). A message of a group with one handle touches no array.
    private GroupHandle? _handle;
    private GroupFigures _figures;
    private GroupInfo? _info;
    private GroupView? _view;

    // What an idle group has not; null without any of it. Once made it stays.
    private Rarities? _rare;
    private bool _watchesViews;
    private bool _isTouched;

    /// <summary>Creates the state of a group whose join is under way.</summary>
    public GroupCore(NodeCore node, string name, GroupMode mode, bool hybrid = false, bool isPublisher = false)
    {
        _node = node;
        Name = name;
        IsPublisher = isPublisher;
        Mode = mode;
        Hybrid = hybrid;
        node.Outboxes.Add(this);
    }

    /// <summary>The group's name. Any thread.</summary>
    public string Name { get; }

    /// <summary>The group's mode. Any thread.</summary>
    public GroupMode Mode { get; }

    /// <summary>True for a group with a multicast address of its own. Any thread.</summary>
    public bool Hybrid { get; }

    /// <summary>True for the permission to publish. Any thread.</summary>
    public bool IsPublisher { get; }

    /// <summary>Where it stands in the directory. Any thread.</summary>
    public GroupKey Key => new(Name, IsPublisher);

    /// <summary>The node's services. Any thread.</summary>
    public NodeServices Services => _node.Services;

    /// <summary>The node's timers.</summary>
    public AlarmQueue Alarms => _node.Alarms;

    /// <summary>The newest installed view; null before the first. Made when asked for, and kept until another one is
    /// asked for: the same view is the same object. Any thread.</summary>
    public GroupView? View
    {
        get
        {
            if (Volatile.Read(ref _info) is not { } info) return null;
            GroupView? known = Volatile.Read(ref _view);
            // In this order: a group that is left meanwhile is still in the node's layout, or has its last one.
            GroupLayout present = _node.Layout;
            GroupLayout layout = LastLayout ?? present;
            if (ReferenceEquals(layout, Settled)) return Volatile.Read(ref _view);
            StepNumber number = layout.NumberOf(info.Id);
            bool isKnown = known is not null && known.Number == number.Counter && known.Epoch == number.Epoch.Term;
            // A group that has never had a member has a view without number, which publishers alone see.
            if (isKnown || (number.IsNone && !IsPublisher)) return known;
            var view = new GroupView(
                Name, info.Id, number, Mode, layout.ViewsOf(info.Id), _node.IsInMemory, info.Address);
            // Threads that ask at once get the same object.
            GroupView? other = Interlocked.CompareExchange(ref _view, view, known);
            return ReferenceEquals(other, known) ? view : View;
        }
    }

    /// <summary>The group's counters; other threads read them through the node only.</summary>
    public ref GroupFigures Figures => ref _figures;

    /// <summary>The stage of the node's membership in the group.</summary>
    public GroupState State { get; set; }

    /// <summary>The protocol's side of the session; null before it has begun and after it has ended.</summary>
    public LocalGroup? Local { get; private set; }

    /// <summary>The handles, in the order of their joins.</summary>
    public ReadOnlySpan<GroupHandle> Handles =>
        _handle is not null ? new ReadOnlySpan<GroupHandle>(ref _handle) : _rare?.Handles;

    /// <summary>True while <see cref="GroupDirectory"/> checks the member waits at each step.</summary>
    public bool IsWaitedOn { get; set; }

    /// <summary>True while calls wait for a number of members.</summary>
    public bool HasMemberWaits => _rare?.MemberWaits is { Count: > 0 };

    private GroupLayout? LastLayout =>
        Volatile.Read(ref _rare) is { } rare ? Volatile.Read(ref rare.LastLayout) : null;

    // Made by any thread.
    private Rarities Rare =>
        Volatile.Read(ref _rare) ?? Interlocked.CompareExchange(ref _rare, new Rarities(), null) ?? _rare;

    /// <summary>Adds a handle, which receives all messages, losses and views from now on.</summary>
    public void Attach(GroupHandle handle)
    {
        Services.CheckCoreThread();
        SetHandles([.. Handles, handle]);
        handle.Bind(this);
        if (handle.FollowsViews) WatchViews();
        if ((handle.Inbox is null && !handle.FollowsViews) || View is not { } view) return;
        handle.OnViewChanged(view);
        Touch();
    }

    /// <summary>Passes all views to the handles from now on.</summary>
    public void WatchViews()
    {
        _watchesViews = true;
        Local?.WatchViews();
    }

    /// <summary>Removes a handle, which receives nothing more; its member waits fail.</summary>
    public void Detach(GroupHandle handle)
    {
        Services.CheckCoreThread();
        SetHandles(Array.FindAll(Handles.ToArray(), other => !ReferenceEquals(other, handle)));
        _rare?.MemberWaits?.RemoveAll(wait =>
        {
            bool isMine = ReferenceEquals(wait.Handle, handle);
            if (isMine) wait.Fail(handle.EndException());
            return isMine;
        });
    }

    /// <summary>Begins the node's session in the group.</summary>
    public void OnAdmitted(LocalGroup local, Instant now)
    {
        Services.CheckCoreThread();
        Local = local;
        Volatile.Write(ref _info, local.Info);
        Sender = local.Sender;
        if (_watchesViews) local.WatchViews();
    }

    /// <summary>Ends the session when the group is left or the node ends: pending calls fail with the reason.</summary>
    public void OnGone(Exception reason)
    {
        Services.CheckCoreThread();
        State = GroupState.Gone;
        KeepView();
        Rarities rare = Rare;
        rare.LongMessages?.Close();
        rare.LongMessages = null;
        Local = null;
        EndSending(reason);
        foreach (MemberWait wait in rare.MemberWaits ?? []) wait.Fail(reason);
        rare.MemberWaits = null;
    }

    /// <inheritdoc/>
    public void OnViewChanged(Instant now)
    {
        Services.CheckCoreThread();
        _rare?.LongMessages?.OnViewChanged();
        if (View is not { } view) return;
        foreach (GroupHandle handle in Handles) handle.OnViewChanged(view);
        Touch();
    }

    /// <inheritdoc/>
    public void OnTransition(IReadOnlyList<NodeInfo> together, Instant now)
    {
        Services.CheckCoreThread();
        if (View is not { } view) return;
        var transitional = new GroupView(view, together);
        foreach (GroupHandle handle in Handles) handle.OnViewChanged(transitional);
        Touch();
    }

    /// <summary>Counts the members of the newest installed view.</summary>
    public int CountMembers() => _info is { } info ? _node.Layout.CountMembers(info.Id) : 0;

    void IDeliveryListener.Prepare() => _handle?.Prepare();

    private void SetHandles(GroupHandle[] handles)
    {
        bool areSeveral = handles.Length > 1;
        if (areSeveral || _rare is not null) Rare.Handles = areSeveral ? handles : null;
        _handle = handles.Length == 1 ? handles[0] : null;
    }

    // The layouts after the leave are without the group.
    private void KeepView() => Volatile.Write(ref Rare.LastLayout, LastLayout ?? _node.Layout);

    /// <summary>Keeps the view of a group that was left, in place of the layout of all groups of the node that it is
    /// read from. Groups that are left together share a layout; when each is left alone, handles that the application
    /// keeps would hold one each. O(members).</summary>
    /// <param name="limit">A view of more members is not made.</param>
    public void SettleView(int limit)
    {
        Services.CheckCoreThread();
        if (LastLayout is null || View is not { } view || view.MemberCount > limit) return;
        view.Settle();
        Volatile.Write(ref Rare.LastLayout, Settled);
    }

    /// <summary>Completes the member waits that are satisfied, after this node's senders may have switched
    /// views.</summary>
    public void CheckMemberWaits()
    {
        Services.CheckCoreThread();
        if (!HasMemberWaits || Local is not { } local) return;
        int members = local.SendMemberCount;
        Rare.MemberWaits!.RemoveAll(wait =>
        {
            bool isDone = wait.IsOver || members >= wait.Count;
            if (isDone) wait.Succeed(View!);
            return isDone;
        });
    }

    /// <summary>Adds a call that waits for a number of members.</summary>
    public void Add(MemberWait wait)
    {
        Services.CheckCoreThread();
        if (wait.Handle.HasEnded)
        {
            wait.Fail(wait.Handle.EndException());
            return;
        }
        (Rare.MemberWaits ??= []).Add(wait);
        CheckMemberWaits();
        if (HasMemberWaits) _node.Directory.Watch(this);
    }

    /// <summary>Describes the members that messages wait for, for diagnostics.</summary>
    /// <param name="ticket">The one message to describe; null for every unconfirmed one.</param>
    public string DescribeAwaited(ConfirmTicket? ticket) =>
        Local is { } local
            ? AwaitedText.Of(_node.Stack, [local], _ => Outbox.MayHold(this), ticket, Services.Clock.Now)
            : "nobody: the group is gone";

    /// <summary>Counts messages that the protocol took from the application.</summary>
    public void OnFed(int messages, long bytes)
    {
        Figures.MessagesSent += messages;
        Figures.BytesSent += bytes;
    }

    /// <summary>Counts messages passed to inline handlers.</summary>
    public void OnHandled(int messages) => _node.MessagesHandled += messages;

    /// <summary>Applies the handle's policy to an exception of user code.</summary>
    public void OnUserFault(GroupHandle handle, Exception fault) => _node.OnUserFault(this, handle, fault);

    /// <summary>Marks the start of a call into user code; <see cref="LeaveUserCode"/> must follow.</summary>
    public void EnterUserCode(LoopPhase phase) => Services.UserCode.Enter(phase, Name);

    /// <summary>Marks the return from user code.</summary>
    /// <param name="calls">The number of calls made meanwhile.</param>
    public void LeaveUserCode(int calls = 1) => Services.UserCode.Leave(calls);

    /// <summary>Schedules <see cref="OnTurnEnded"/> for the end of this turn.</summary>
    public void Touch()
    {
        Services.CheckCoreThread();
        if (_isTouched) return;
        _isTouched = true;
        _node.Touched.Add(this);
    }

    /// <summary>Publishes the turn's messages to readers.</summary>
    public void OnTurnEnded()
    {
        Services.CheckCoreThread();
        _isTouched = false;
        foreach (GroupHandle handle in Handles) handle.Publish();
    }

    /// <summary>The exception for calls that were under way when the group was left.</summary>
    public ObjectDisposedException LeftReason() => IsPublisher
        ? new(
            nameof(GroupPublisher),
            $"The publisher of '{Name}' was closed before every member was known to hold what was sent.")
        : new(nameof(Group), $"The group '{Name}' was left before every member was known to hold what was sent.");

    // Fields, for interlocked calls. Core thread only, but for the layout and the number of writers.
    private sealed class Rarities
    {
        public GroupHandle[]? Handles;
        public List<MemberWait>? MemberWaits;
        public GroupLayout? LastLayout;
        public LongMessages? LongMessages;
        public HashSet<ConfirmTicket>? Tickets;
        public Exception? GoneReason;
        public int OpenWriters;
    }
}
