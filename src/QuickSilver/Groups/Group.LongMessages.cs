using System.IO.Pipelines;
using QuickSilver.Runtime;

namespace QuickSilver;

/// <summary>
/// Long messages: content of any length, written as a stream and read as one.
/// <para>
/// A long message travels in pieces, which are messages of the group: each member gets its bytes in order and exactly
/// once, in turn with the sender's other messages. A member that joins while it is under way sees nothing of it. Every
/// reader gets either all bytes, or an error.
/// </para>
/// </summary>
public sealed partial class Group
{
    /// <summary>Begins a long message. Nothing is sent before the first flush or the completion. Any thread.</summary>
    /// <returns>
    /// The writer, for one thread at a time. <see cref="PipeWriter.FlushAsync"/> sends what was written, and waits as
    /// <see cref="MessageSender.SendAsync(ReadOnlyMemory{byte}, CancellationToken)"/> does; it never waits for readers.
    /// <see cref="PipeWriter.CompleteAsync"/> sends the rest and the end; completed with an exception, it tells readers
    /// that the message was given up (<see cref="ErrorCode.LongMessageGivenUp"/>). <see cref="PipeWriter.Complete"/>
    /// does the same in the background. A writer that is not completed is given up when the handle ends; flushes and
    /// completions then throw its reason. Complete every writer.
    /// </returns>
    /// <remarks>Copies what is written once, and allocates a few objects a long message. A piece has up to 32 KiB and
    /// takes a number of <see cref="Message.Sequence"/>. A cancelled flush leaves what is not sent with the writer, for
    /// the next flush. On the core thread flushes and completions throw <see cref="InvalidOperationException"/> where
    /// they would have to wait.</remarks>
    /// <exception cref="ObjectDisposedException">The group has been left.</exception>
    /// <exception cref="QuickSilverException"><see cref="ErrorCode.RefusedByMode"/>: the group is not
    /// <see cref="GroupMode.Reliable"/>. Or the handle has ended by itself; this is the reason.</exception>
    public PipeWriter OpenWriter()
    {
        Require(CheckSend(0), GroupMode.Reliable, nameof(OpenWriter));
        return new LongMessageWriter(Handle, Services.NextLongMessage());
    }

    /// <summary>
    /// Reads the long messages of all senders, each as soon as it begins. Ends once the group has been left. Several
    /// loops share the messages. Read or complete each <see cref="LongMessage.Body"/>: a message whose unread bytes
    /// exceed <see cref="DeliveryOptions.LongMessageMaxUnreadBytes"/> fails, and holds up nobody.
    /// <para>
    /// Long messages that begin after this call returns are kept for the loop, up to 1,024 that nobody has taken. Those
    /// before the first call are dropped and counted, unless the join asks for them
    /// (<see cref="GroupOptions.KeepLongMessages"/>).
    /// </para>
    /// </summary>
    /// <param name="cancellationToken">Cancels the enumeration. Nothing is lost: the next loop continues
    /// there.</param>
    /// <exception cref="OperationCanceledException">The enumeration was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The group was left before the call.</exception>
    /// <exception cref="QuickSilverException"><see cref="ErrorCode.RefusedByMode"/>: the group is not
    /// <see cref="GroupMode.Reliable"/>. Or the handle has ended by itself; this is the reason.</exception>
    public IAsyncEnumerable<LongMessage> ReadLongMessagesAsync(CancellationToken cancellationToken = default)
    {
        if (HasBeenLeft) ThrowIfEnded();
        Require(Joined, GroupMode.Reliable, nameof(ReadLongMessagesAsync));
        return Handle.OpenLongInbox().ReadAllAsync(cancellationToken);
    }
}
