using System.Diagnostics.CodeAnalysis;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;

namespace QuickSilver;

/// <summary>
/// The sending half of a group. All members may be used by any thread. Not for inheritance: <see cref="Group"/> adds receiving.
/// <para>
/// A send is admitted in call order. When a limit of <see cref="PendingOptions"/> is reached, sends wait, everybody's, until half of it is free; nothing is ever dropped without a word. A slow application
/// reader never holds senders up: it is its own inbox that overflows.
/// </para>
/// </summary>
public class GroupSender : IAsyncDisposable
{
    internal GroupSender(QuickSilverNode node, string name)
    {
        Node = node;
        Name = name;
    }

    /// <summary>The node.</summary>
    public QuickSilverNode Node { get; }

    /// <summary>The group's name.</summary>
    public string Name { get; }

    /// <summary>The newest installed view; may be ahead of what a reader has consumed.</summary>
    public GroupView View => throw new NotSupportedException();

    /// <summary>Ends with leave or dispose; faults with the reason when the handle ended by itself.</summary>
    public Task Completion => throw new NotSupportedException();

    /// <summary>Sends a message; returns when it is copied and admitted. Allocates nothing in steady state, waiting included.</summary>
    /// <param name="payload">The message; borrowed until the task ends.</param>
    /// <param name="ct">Ends the waiting; what has been admitted is sent.</param>
    /// <exception cref="PayloadTooLargeException">Longer than <see cref="PendingOptions.MaxMessageBytes"/>.</exception>
    /// <exception cref="ObjectDisposedException">The group has been left.</exception>
    /// <exception cref="QuickSilverException">The handle has ended; this is the reason.</exception>
    /// <exception cref="InvalidOperationException">Called on the core thread (in an inline handler or a feed), and it would have to wait.</exception>
    [OverloadResolutionPriority(1)]
    public ValueTask SendAsync(ReadOnlyMemory<byte> payload, CancellationToken ct = default) => throw new NotSupportedException();

    /// <summary>Sends a message that is copied before the call returns; otherwise as the overload above.</summary>
    public ValueTask SendAsync(ReadOnlySpan<byte> payload, CancellationToken ct = default) => throw new NotSupportedException();

    /// <summary>Sends a message that is written straight into pooled memory, on this thread, before the call returns; otherwise as the overloads above. What <paramref name="write"/> throws comes out, and nothing is sent.</summary>
    /// <param name="sizeHint">About how long the message is, in bytes; a good guess saves copying.</param>
    /// <param name="state">Handed to <paramref name="write"/>, so that it needs no closure.</param>
    /// <param name="write">Writes the message.</param>
    /// <param name="ct">Ends the waiting.</param>
    public ValueTask SendAsync<TState>(int sizeHint, TState state, BufferWriterAction<TState> write, CancellationToken ct = default)
        where TState : allows ref struct => throw new NotSupportedException();

    /// <summary>Sends a message unless it would have to wait. Never waits, never overtakes somebody who does, throws nothing; allowed in inline handlers.</summary>
    public SendStatus TrySend(ReadOnlySpan<byte> payload) => throw new NotSupportedException();

    /// <summary>Waits, behind those who wait already, until a send could be admitted.</summary>
    /// <returns>False when the handle has ended. True is no promise: others may be quicker.</returns>
    public ValueTask<bool> WaitToSendAsync(CancellationToken ct = default) => throw new NotSupportedException();

    /// <summary>Sends a message and waits until every member of its view that is still alive holds it. To hold is not to have processed. Completes at once when nobody else is in the group.</summary>
    /// <param name="payload">The message; borrowed until the task ends.</param>
    /// <param name="ct">Ends the waiting only: what has been admitted is sent.</param>
    public ValueTask<DeliveryReport> SendConfirmedAsync(ReadOnlyMemory<byte> payload, CancellationToken ct = default) => throw new NotSupportedException();

    /// <summary>Waits until all that this node had admitted to the group before the call is held by every live member.</summary>
    public ValueTask FlushAsync(CancellationToken ct = default) => throw new NotSupportedException();

    /// <summary>Writes one message as a stream. Not built yet.</summary>
    /// <exception cref="QuickSilverException">Always, with <see cref="ErrorCode.NotSupported"/>.</exception>
    [Experimental("QS9001")]
    public PipeWriter OpenWriter(StreamOptions? options = null) => throw Unsupported.Feature("Message streams");

    /// <summary>Registers a feed. It is asked for nothing before the first <see cref="FeedRegistration.Signal"/>; feeds rotate with each other and with sends.</summary>
    public FeedRegistration RegisterFeed(IMessageFeed feed) => throw new NotSupportedException();

    /// <summary>Waits until the group has at least <paramref name="count"/> nodes, this one included, in a view that this node sends in.</summary>
    /// <returns>The newest view.</returns>
    public ValueTask<GroupView> WaitForMembersAsync(int count, CancellationToken ct = default) => throw new NotSupportedException();

    /// <summary>Leaves the group, within <see cref="ShutdownOptions.DrainTimeout"/>. Never throws; again: nothing.</summary>
    public ValueTask DisposeAsync() => throw new NotSupportedException();
}
