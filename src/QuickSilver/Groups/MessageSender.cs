using System.Buffers;
using System.Runtime.CompilerServices;
using QuickSilver.Protocol.Flow;
using QuickSilver.Runtime;
using QuickSilver.Sending;

namespace QuickSilver;

/// <summary>
/// A handle that sends to a group: what a member's <see cref="Group"/> and a <see cref="GroupPublisher"/> have in
/// common. All members may be called from any thread. Code that only sends takes this type, and works with either.
/// <para>
/// Messages are admitted in the order of the calls. At a limit of <see cref="PendingOptions"/> all sends wait until
/// half of it is free. No message is dropped silently. A slow application reader never delays senders: its own inbox
/// overflows instead.
/// </para>
/// </summary>
public abstract partial class MessageSender
{
    /// <summary>Sends a message. Completes as soon as the message is admitted, not when it is delivered. Allocates
    /// nothing in steady state, even while it waits. The end of the handle comes in the task; arguments that make no
    /// sense, and a wait on the core thread, are thrown at once.</summary>
    /// <param name="payload">The message; copied before the call returns.</param>
    /// <param name="cancellationToken">Cancels the wait for admission; the message is then not sent. An admitted
    /// message is sent in any case.</param>
    /// <exception cref="PayloadTooLargeException">The message is longer than
    /// <see cref="PendingOptions.MaxMessageBytes"/>.</exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled; the message is not sent.</exception>
    /// <exception cref="SendHeldUpException">The call has waited for <see cref="PendingOptions.NoServerTimeout"/> while
    /// no membership server could remove the members that it waits for; the message is not sent.</exception>
    /// <exception cref="ObjectDisposedException">The handle has been left, closed or disposed of.</exception>
    /// <exception cref="QuickSilverException">The handle has ended by itself; this is the reason.</exception>
    /// <exception cref="InvalidOperationException">The call is on the core thread (in an inline handler or a feed) and
    /// would have to wait.</exception>
    [OverloadResolutionPriority(1)]
    public ValueTask SendAsync(ReadOnlyMemory<byte> payload, CancellationToken cancellationToken = default) =>
        SendAsync(payload.Span, cancellationToken);

    /// <summary>Sends a message from a span. Otherwise as the overload above.</summary>
    public ValueTask SendAsync(ReadOnlySpan<byte> payload, CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested) return ValueTask.FromCanceled(cancellationToken);
        if (Handle.HasEnded) return ValueTask.FromException(Handle.EndException());
        GroupCore core = CheckLength(payload.Length);
        return IsShort(payload) && core.TrySend(payload)
            ? default
            : EnterAsync(core, Services.SendBuffers.Copy(payload), cancellationToken);
    }

    /// <summary>Sends a message that <paramref name="write"/> writes directly into reused memory, on this thread,
    /// before the call returns. If it throws, the exception reaches the caller and nothing is sent. Otherwise as the
    /// overloads above.</summary>
    /// <param name="sizeHint">Expected length of the message, in bytes; a good estimate saves copies.</param>
    /// <param name="state">State for <paramref name="write"/>, so that it needs no closure.</param>
    /// <param name="write">Writes the message.</param>
    /// <param name="cancellationToken">Cancels the wait for admission; the message is then not sent.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="sizeHint"/> is negative.</exception>
#pragma warning disable RS0026 // It takes the place of one that had the same optional parameter.
    public ValueTask SendAsync<TState>(
        int sizeHint,
        TState state,
        Action<IBufferWriter<byte>, TState> write,
        CancellationToken cancellationToken = default)
        where TState : allows ref struct
#pragma warning restore RS0026
    {
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        ArgumentNullException.ThrowIfNull(write);
        if (cancellationToken.IsCancellationRequested) return ValueTask.FromCanceled(cancellationToken);
        if (Handle.HasEnded) return ValueTask.FromException(Handle.EndException());
        GroupCore core = Joined;
        PayloadWriter writer = PayloadWriter.Begin(Services.SendBuffers, sizeHint, Limit);
        PooledPayload payload;
        try
        {
            write(writer, state);
            if (IsShort(writer.Written) && core.TrySend(writer.Written)) return default;
            payload = writer.Take();
        }
        finally
        {
            writer.End();
        }
        return EnterAsync(core, payload, cancellationToken);
    }

    /// <summary>Sends a message if it can be admitted at once. Never waits, never overtakes a waiting call, and never
    /// throws; allowed in inline handlers. Allocates nothing in steady state.</summary>
    /// <param name="payload">The message; copied before the call returns.</param>
    /// <returns><see cref="SendStatus.Accepted"/>, or the reason why nothing was sent.</returns>
    public SendStatus TrySend(ReadOnlySpan<byte> payload)
    {
        if (Handle.End is { } end) return end.Reason is null ? SendStatus.Closed : SendStatus.NotMember;
        if (payload.Length > Limit.Bytes) return SendStatus.TooLarge;
        if (Handle.Core is not { } core) return SendStatus.NotMember;
        if (!core.IsOpen) return SendStatus.Backpressured;
        if (IsShort(payload))
        {
            if (core.TrySend(payload)) return SendStatus.Accepted;
        }
        else
        {
            PooledPayload copy = Services.SendBuffers.Copy(payload);
            if (core.TrySend(copy, copy.Length)) return SendStatus.Accepted;
            copy.Return();
        }
        return Handle.HasEnded ? SendStatus.Closed : SendStatus.Backpressured;
    }

    /// <summary>Waits behind earlier calls until a send could be admitted. Allocates nothing in steady state.</summary>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>False if the handle has ended. True is a hint only: other senders may use the room first.</returns>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
    /// <exception cref="SendHeldUpException">As of <see cref="SendAsync(ReadOnlyMemory{byte}, CancellationToken)"/>.
    /// </exception>
    /// <exception cref="InvalidOperationException">The call is on the core thread and would have to wait.</exception>
    public ValueTask<bool> WaitToSendAsync(CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested) return ValueTask.FromCanceled<bool>(cancellationToken);
        if (Handle.HasEnded || Handle.Core is not { } core) return ValueTask.FromResult(false);
        if (core.IsOpen) return ValueTask.FromResult(true);
        core.ThrowIfCoreWouldWait(null);
        return core.WaitForRoomAsync(Handle, cancellationToken);
    }

    /// <summary>Sends a message and waits until every live member of its view holds it. A member that holds a message
    /// has not necessarily processed it. Completes at once if the group has no other members, or none at all. In groups
    /// of <see cref="ReliableMode"/> only.</summary>
    /// <param name="payload">The message; copied before the call returns.</param>
    /// <param name="cancellationToken">Cancels the wait only: an admitted message is sent in any case.</param>
    /// <returns>The number of members that hold it, and of members that were removed from the cluster before they
    /// confirmed it.</returns>
    /// <exception cref="PayloadTooLargeException">The message is longer than
    /// <see cref="PendingOptions.MaxMessageBytes"/>; nothing was sent.</exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled; the message names the members it waited
    /// for.</exception>
    /// <exception cref="SendHeldUpException">The call has waited for <see cref="PendingOptions.NoServerTimeout"/> while
    /// no membership server could remove the members that it waits for. With <see cref="ErrorCode.SendHeldUp"/> the
    /// message is not sent, with <see cref="ErrorCode.ConfirmationHeldUp"/> it is.</exception>
    /// <exception cref="NodeEvictedException">The node was removed from the cluster meanwhile. Whether other members
    /// hold the message is unknown.</exception>
    /// <exception cref="ObjectDisposedException">The handle was left or closed, or the node disposed of, before the
    /// confirmation.</exception>
    /// <exception cref="QuickSilverException"><see cref="ErrorCode.RefusedByMode"/>: the group is
    /// neither <see cref="GroupMode.Reliable"/> nor <see cref="GroupMode.Ordered"/>. Or the handle has ended by itself;
    /// this is the reason.</exception>
    /// <exception cref="InvalidOperationException">The call is on the core thread and would have to wait until the
    /// message is admitted.</exception>
    public async Task<DeliveryReport> SendConfirmedAsync(
        ReadOnlyMemory<byte> payload, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        GroupCore core = CheckSend(payload.Length);
        if (core.Mode != GroupMode.Ordered) Require(core, GroupMode.Reliable, nameof(SendConfirmedAsync));
        var ticket = new ConfirmTicket(Services.SendBuffers.Copy(payload.Span), Services.Clock.Now);
        bool isAdmitted = core.TrySend(ticket, payload.Length);
        if (!isAdmitted) core.ThrowIfCoreWouldWait(ticket.Payload);
        try
        {
            if (!isAdmitted)
                await core.SendLaterAsync(Handle, ticket, payload.Length, cancellationToken).ConfigureAwait(false);
            isAdmitted = true;
            return await EndsWithHandleAsync(ticket.Task, cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            string what = isAdmitted
                ? "The message is sent all the same"
                : "Too much was pending, and the message is not sent";
            ConfirmTicket? sent = isAdmitted ? ticket : null;
            throw await CancelledAsync(nameof(SendConfirmedAsync), what, core, sent, cancellationToken)
                .ConfigureAwait(false);
        }
    }

    /// <summary>Waits until every live member holds all messages that this node had admitted to the group before the
    /// call, in any view. In groups of <see cref="GroupMode.Lateral"/> and <see cref="GroupMode.Timed"/>: until
    /// they have left this node.</summary>
    /// <param name="cancellationToken">Cancels the wait only.</param>
    /// <exception cref="OperationCanceledException">The wait was cancelled; the message names the members it waited
    /// for.</exception>
    /// <exception cref="SendHeldUpException"><see cref="ErrorCode.ConfirmationHeldUp"/>: the call has waited for
    /// <see cref="PendingOptions.NoServerTimeout"/> while no membership server could remove the members that it waits
    /// for. The messages go on.</exception>
    /// <exception cref="NodeEvictedException">The node was removed from the cluster meanwhile;
    /// <see cref="NodeEvictedException.MessagesInDoubt"/> counts the messages whose outcome is unknown.</exception>
    /// <exception cref="ObjectDisposedException">The handle was left or closed, or the node disposed of,
    /// meanwhile.</exception>
    /// <exception cref="QuickSilverException">The handle has ended by itself; this is the reason.</exception>
    public async Task FlushAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        GroupCore core = CheckSend(0);
        var flush = new CountdownFlush();
        bool isPosted = Services.TryPost(now =>
        {
            if (!core.Flush(flush, now)) flush.Fail(Handle.EndException());
            flush.Seal(now);
            Node.Core.Unserved.Follow(Name, flush);
        });
        if (!isPosted) throw Handle.EndException();
        try
        {
            Task first = await Task.WhenAny(flush.Task, Completion).WaitAsync(cancellationToken).ConfigureAwait(false);
            if (first != flush.Task && !flush.Task.IsCompleted) throw Handle.EndException();
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            const string Consequence = "The messages are on their way";
            throw await CancelledAsync(nameof(FlushAsync), Consequence, core, null, cancellationToken)
                .ConfigureAwait(false);
        }
        await flush.Task.ConfigureAwait(false);
    }

    /// <summary>Registers a feed. The first <see cref="FeedRegistration.Signal"/> starts it. Feeds take turns with each
    /// other and with sends.</summary>
    /// <param name="feed">Called on the core thread, one call at a time.</param>
    /// <returns>Signals and unregisters the feed, from any thread.</returns>
    /// <exception cref="ObjectDisposedException">The handle has been left, closed or disposed of.</exception>
    /// <exception cref="QuickSilverException">The handle has ended by itself; this is the reason.</exception>
    public FeedRegistration RegisterFeed(IMessageFeed feed)
    {
        ArgumentNullException.ThrowIfNull(feed);
        CheckSend(0);
        return Register(feed, default);
    }

    /// <summary>Waits until the group has at least <paramref name="count"/> nodes, this one included if it is a member,
    /// in a view in which this node sends. After five seconds log record 1115 says, once, what is waited for and what
    /// nodes that meet have in common.</summary>
    /// <param name="count">Number of nodes, at least 1.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <returns>The newest view.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="count"/> is less than 1.</exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled; the message gives the awaited number and
    /// names the present members.</exception>
    /// <exception cref="ObjectDisposedException">The handle was left or closed, or the node disposed of,
    /// meanwhile.</exception>
    /// <exception cref="QuickSilverException">The handle has ended by itself; this is the reason.</exception>
    public async Task<GroupView> WaitForMembersAsync(int count, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(count, 1);
        cancellationToken.ThrowIfCancellationRequested();
        GroupCore core = CheckSend(0);
        var wait = new MemberWait(Handle, count);
        if (!Services.TryPost(_ => core.Add(wait))) throw Handle.EndException();
        using CancellationTokenRegistration registration = cancellationToken.UnsafeRegister(
            static (state, token) => ((MemberWait)state!).Cancel(token), wait);
        try
        {
            Task<GroupView> members = EndsWithHandleAsync(wait.Task, CancellationToken.None);
            await ((Task)members).WaitAsync(HintAfter).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (!members.IsCompleted) Services.OnMembersAwaited(Name, count, View);
            return await members.ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            throw new OperationCanceledException(
                $"{nameof(WaitForMembersAsync)} was cancelled. It waited for {count} nodes, and there is {View}.",
                cancellationToken);
        }
    }

    private static readonly TimeSpan HintAfter = TimeSpan.FromSeconds(5);

    // A core that hangs completes no task: the end of the handle then ends the wait.
    private protected async Task<T> EndsWithHandleAsync<T>(Task<T> task, CancellationToken cancellationToken)
    {
        Task first = await Task.WhenAny(task, Completion).WaitAsync(cancellationToken).ConfigureAwait(false);
        if (first != task && !task.IsCompleted) throw Handle.EndException();
        return await task.ConfigureAwait(false);
    }

    private protected async Task<OperationCanceledException> CancelledAsync(
        string call, string consequence, GroupCore core, ConfirmTicket? ticket, CancellationToken cancellationToken)
    {
        string awaited = await Services.AskAsync(() => core.DescribeAwaited(ticket)).ConfigureAwait(false);
        return new OperationCanceledException(
            $"{call} on '{Name}' was cancelled. It waited for {awaited}. {consequence}.", cancellationToken);
    }

    // That of the node, or less where the group's mode says so.
    private protected PayloadLimit Limit =>
        PayloadLimit.Of(Services.Options.Pending.MaxMessageBytes, Handle.Settings.Mode.LongestMessage);

    private protected GroupCore CheckSend(int bytes)
    {
        ThrowIfEnded();
        return CheckLength(bytes);
    }

    private protected GroupCore CheckLength(int bytes)
    {
        if (bytes > Limit.Bytes) throw Limit.Exceeded(bytes);
        return Joined;
    }

    private FeedRegistration Register(IMessageFeed feed, MessageTraits traits)
    {
        var source = new FeedSource(Handle, feed, Limit, traits);
        bool isPosted = Services.TryPost(_ => Handle.Attach(source));
        return isPosted ? new FeedRegistration(Services, source) : throw Handle.EndException();
    }

    // A short message is copied into the stage. Whatever refuses it is told apart on the slow path.
    private protected static bool IsShort(ReadOnlySpan<byte> payload) => payload.Length <= SendStage.LongestMessage;

    // The copy is made before: an exception after the gate has counted the message would leave it counted for ever.
    private ValueTask EnterAsync(GroupCore core, PooledPayload payload, CancellationToken cancellationToken) =>
        core.EnterAsync(Handle, payload, cancellationToken);
}
