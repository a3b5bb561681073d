using System.Runtime.CompilerServices;
using QuickSilver.Runtime;
using QuickSilver.Sending;

namespace QuickSilver;

/// <summary>
/// The sending half of a group. All members may be used by any thread.
/// <para>
/// A send is admitted in call order. When a limit of <see cref="PendingOptions"/> is reached, sends wait, everybody's, until half of it is free;
/// nothing is ever dropped silently. A slow application reader never holds senders up: it is its own inbox that overflows.
/// </para>
/// </summary>
public sealed partial class Group
{
    /// <summary>Sends a message; returns when it is copied and admitted. Allocates nothing in steady state, waiting included.</summary>
    /// <param name="payload">The message; borrowed until the task ends.</param>
    /// <param name="cancellationToken">Ends the waiting; what has been admitted is sent.</param>
    /// <exception cref="PayloadTooLargeException">Longer than <see cref="PendingOptions.MaxMessageBytes"/>.</exception>
    /// <exception cref="ObjectDisposedException">The group has been left.</exception>
    /// <exception cref="QuickSilverException">The handle has ended; this is the reason.</exception>
    /// <exception cref="InvalidOperationException">Called on the core thread (in an inline handler or a feed), and it would have to wait.</exception>
    [OverloadResolutionPriority(1)]
    public ValueTask SendAsync(ReadOnlyMemory<byte> payload, CancellationToken cancellationToken = default) => SendAsync(payload.Span, cancellationToken);

    /// <summary>Sends a message that is copied before the call returns; otherwise as the overload above.</summary>
    public ValueTask SendAsync(ReadOnlySpan<byte> payload, CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested) return ValueTask.FromCanceled(cancellationToken);
        GroupCore core = CheckSend(payload.Length);
        return TryStage(core, payload) ? default : EnterAsync(core, Services.SendBuffers.Copy(payload), cancellationToken);
    }

    /// <summary>Sends a message that is written straight into pooled memory, on this thread, before the call returns; otherwise as the overloads
    /// above. What <paramref name="write"/> throws comes out, and nothing is sent.</summary>
    /// <param name="sizeHint">About how long the message is, in bytes; a good guess saves copying.</param>
    /// <param name="state">Handed to <paramref name="write"/>, so that it needs no closure.</param>
    /// <param name="write">Writes the message.</param>
    /// <param name="cancellationToken">Ends the waiting.</param>
    public ValueTask SendAsync<TState>(int sizeHint, TState state, BufferWriterAction<TState> write, CancellationToken cancellationToken = default)
        where TState : allows ref struct
    {
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        ArgumentNullException.ThrowIfNull(write);
        if (cancellationToken.IsCancellationRequested) return ValueTask.FromCanceled(cancellationToken);
        GroupCore core = CheckSend(0);
        PayloadWriter writer = PayloadWriter.Begin(Services.SendBuffers, sizeHint, Services.Options.Pending.MaxMessageBytes);
        bool isWritten = false;
        try
        {
            write(writer, in state);
            isWritten = true;
        }
        finally
        {
            if (!isWritten) writer.Abandon();
        }
        PooledPayload payload = writer.Finish();
        if (!TryStage(core, payload.Span)) return EnterAsync(core, payload, cancellationToken);
        payload.Return();
        return default;
    }

    /// <summary>Sends a message unless it would have to wait. Never waits, never overtakes somebody who does, throws nothing; allowed in inline
    /// handlers. Allocates nothing in steady state.</summary>
    /// <param name="payload">The message; copied before the call returns.</param>
    public SendStatus TrySend(ReadOnlySpan<byte> payload)
    {
        if (Handle.End is { } end) return end.Reason is null ? SendStatus.Closed : SendStatus.NotMember;
        if (payload.Length > Services.Options.Pending.MaxMessageBytes) return SendStatus.TooLarge;
        if (Handle.Core is not { } core) return SendStatus.NotMember;
        if (!core.Gate.IsOpen) return SendStatus.Backpressured;
        if (TryStage(core, payload)) return SendStatus.Accepted;
        PooledPayload copy = Services.SendBuffers.Copy(payload);
        bool isAdmitted = core.Gate.TryEnter(copy.Length);
        if (isAdmitted && core.Sends.TryEnqueue(copy)) return SendStatus.Accepted;
        if (isAdmitted) core.Gate.Undo(copy.Length);
        copy.Return();
        return isAdmitted ? SendStatus.Closed : SendStatus.Backpressured;
    }

    /// <summary>Waits, behind those who wait already, until a send could be admitted. Allocates nothing in steady state.</summary>
    /// <param name="cancellationToken">Ends the waiting.</param>
    /// <returns>False when the handle has ended. True is no promise: others may be quicker.</returns>
    /// <exception cref="OperationCanceledException">The token.</exception>
    /// <exception cref="InvalidOperationException">Called on the core thread, and it would have to wait.</exception>
    public ValueTask<bool> WaitToSendAsync(CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested) return ValueTask.FromCanceled<bool>(cancellationToken);
        if (Handle.HasEnded || Handle.Core is not { } core) return ValueTask.FromResult(false);
        if (core.Gate.IsOpen) return ValueTask.FromResult(true);
        ThrowIfCoreWouldWait();
        return core.Gate.WaitAsync(Handle, cancellationToken);
    }

    /// <summary>Sends a message and waits until every member of its view that is still alive holds it. To hold is not to have processed. Completes at
    /// once when nobody else is in the group.</summary>
    /// <param name="payload">The message; borrowed until the task ends.</param>
    /// <param name="cancellationToken">Ends the waiting only: what has been admitted is sent. The exception names the members it waited for.</param>
    /// <returns>Who holds it, and how many members were removed from the cluster before they were known to.</returns>
    /// <exception cref="OperationCanceledException">The token; names whom the message waits for.</exception>
    /// <exception cref="NodeEvictedException">The node was removed from the cluster meanwhile: whether others hold the
    /// message is not known.</exception>
    /// <exception cref="ObjectDisposedException">The group was left, or the node disposed of, before the message was confirmed.</exception>
    /// <exception cref="QuickSilverException">The handle has ended; this is the reason.</exception>
    public async Task<DeliveryReport> SendConfirmedAsync(ReadOnlyMemory<byte> payload, CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        GroupCore core = CheckSend(payload.Length);
        var ticket = new ConfirmTicket(Services.SendBuffers.Copy(payload.Span), Services.Clock.Now);
        bool isAdmitted = core.Gate.TryEnter(payload.Length);
        if (isAdmitted) Enqueue(core, ticket, ticket.Payload);
        else ThrowIfCoreWouldWait(ticket.Payload);
        try
        {
            if (!isAdmitted) await core.Gate.EnterAsync(Handle, ticket, payload.Length, cancellationToken).ConfigureAwait(false);
            isAdmitted = true;
            return await EndsWithHandleAsync(ticket.Task, cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            string what = isAdmitted ? "The message is sent all the same" : "Too much was pending, and the message is not sent";
            throw await CancelledAsync(nameof(SendConfirmedAsync), what, core, isAdmitted ? ticket : null, cancellationToken).ConfigureAwait(false);
        }
    }

    /// <summary>Waits until all that this node had admitted to the group before the call is held by every live member, in whatever
    /// views it was sent.</summary>
    /// <param name="cancellationToken">Ends the waiting only. The exception names the members it waited for.</param>
    /// <exception cref="OperationCanceledException">The token; names whom the messages wait for.</exception>
    /// <exception cref="NodeEvictedException">The node was removed from the cluster meanwhile;
    /// <see cref="NodeEvictedException.MessagesInDoubt"/> counts what nobody can tell about.</exception>
    /// <exception cref="ObjectDisposedException">The group was left, or the node disposed of, meanwhile.</exception>
    public async Task FlushAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        GroupCore core = CheckSend(0);
        var flush = new CountdownFlush();
        bool isPosted = Services.TryPost(now =>
        {
            if (!core.Flush(flush, now)) flush.Fail(Handle.EndException());
            flush.Seal(now);
        });
        if (!isPosted) throw Handle.EndException();
        try
        {
            Task first = await Task.WhenAny(flush.Task, Completion).WaitAsync(cancellationToken).ConfigureAwait(false);
            if (first != flush.Task && !flush.Task.IsCompleted) throw Handle.EndException();
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            throw await CancelledAsync(nameof(FlushAsync), "What was sent is on its way", core, null, cancellationToken).ConfigureAwait(false);
        }
        await flush.Task.ConfigureAwait(false);
    }

    /// <summary>Registers a feed. It is asked for nothing before the first <see cref="FeedRegistration.Signal"/>; feeds rotate with each other and
    /// with sends.</summary>
    /// <param name="feed">Called on the core thread, one call at a time.</param>
    /// <returns>Wakes the feed, and takes it out; both by any thread.</returns>
    /// <exception cref="ObjectDisposedException">The group has been left.</exception>
    /// <exception cref="QuickSilverException">The handle has ended; this is the reason.</exception>
    public FeedRegistration RegisterFeed(IMessageFeed feed)
    {
        ArgumentNullException.ThrowIfNull(feed);
        CheckSend(0);
        var source = new FeedSource(Handle, feed, Services.Options.Pending.MaxMessageBytes);
        bool isPosted = Services.TryPost(_ => Handle.Attach(source));
        return isPosted ? new FeedRegistration(Services, source) : throw Handle.EndException();
    }

    /// <summary>Waits until the group has at least <paramref name="count"/> nodes, this one included, in a view that this node sends in.</summary>
    /// <param name="count">How many; at least 1.</param>
    /// <param name="cancellationToken">Ends the waiting. The exception names the members that are there.</param>
    /// <returns>The newest view.</returns>
    /// <exception cref="OperationCanceledException">The token; says how many were waited for, and who is there.</exception>
    /// <exception cref="ObjectDisposedException">The group was left, or the node disposed of, meanwhile.</exception>
    public async Task<GroupView> WaitForMembersAsync(int count, CancellationToken cancellationToken = default)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(count, 1);
        cancellationToken.ThrowIfCancellationRequested();
        GroupCore core = CheckSend(0);
        var wait = new MemberWait(Handle, count);
        if (!Services.TryPost(_ => core.Add(wait))) throw Handle.EndException();
        using CancellationTokenRegistration registration = cancellationToken.UnsafeRegister(static (state, token) => ((MemberWait)state!).Cancel(token), wait);
        try
        {
            return await EndsWithHandleAsync(wait.Task, CancellationToken.None).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            throw new OperationCanceledException(
                $"{nameof(WaitForMembersAsync)} was cancelled. It waited for {count} nodes, and there is {View}.", cancellationToken);
        }
    }

    // When the core hangs, nobody completes what waits for it: then the end of the handle does.
    private async Task<T> EndsWithHandleAsync<T>(Task<T> task, CancellationToken cancellationToken)
    {
        Task first = await Task.WhenAny(task, Completion).WaitAsync(cancellationToken).ConfigureAwait(false);
        if (first != task && !task.IsCompleted) throw Handle.EndException();
        return await task.ConfigureAwait(false);
    }

    private async Task<OperationCanceledException> CancelledAsync(
        string call, string consequence, GroupCore core, ConfirmTicket? ticket, CancellationToken cancellationToken)
    {
        string awaited = await Services.AskAsync(() => core.DescribeAwaited(ticket)).ConfigureAwait(false);
        return new OperationCanceledException($"{call} on '{Name}' was cancelled. It waited for {awaited}. {consequence}.", cancellationToken);
    }

    private GroupCore CheckSend(int bytes)
    {
        ThrowIfEnded();
        int longest = Services.Options.Pending.MaxMessageBytes;
        if (bytes > longest) throw PayloadLimit.Exceeded(bytes, longest);
        return Joined;
    }

    // The short way of short messages: false when it is longer, or has to wait, or the group takes nothing more, which the long way finds out.
    private static bool TryStage(GroupCore core, ReadOnlySpan<byte> payload)
    {
        if (payload.Length > SendStage.LongestMessage || !core.Gate.TryEnter(payload.Length)) return false;
        bool isTaken = false;
        try
        {
            isTaken = core.Sends.TryEnqueue(payload);
        }
        finally
        {
            // Also when there is no memory for another block: the gate would keep the message's place for ever.
            if (!isTaken) core.Gate.Undo(payload.Length);
        }
        return isTaken;
    }

    // Comes with the copy made: whoever throws where the gate has counted the message would keep its place for ever.
    private ValueTask EnterAsync(GroupCore core, PooledPayload payload, CancellationToken cancellationToken)
    {
        if (core.Gate.TryEnter(payload.Length))
        {
            Enqueue(core, payload, payload);
            return default;
        }
        ThrowIfCoreWouldWait(payload);
        return core.Gate.EnterAsync(Handle, payload, payload.Length, cancellationToken);
    }

    private void Enqueue(GroupCore core, object request, PooledPayload payload)
    {
        if (core.Sends.TryEnqueue(request)) return;
        core.Gate.Undo(payload.Length);
        payload.Return();
        throw Handle.EndException();
    }

    private void ThrowIfCoreWouldWait(PooledPayload? payload = null)
    {
        if (!Services.IsCoreThread) return;
        payload?.Return();
        throw new InvalidOperationException("A send on the core thread (in an inline handler or a feed) must not wait: use TrySend there.");
    }
}
