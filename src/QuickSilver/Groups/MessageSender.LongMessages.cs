using System.IO.Pipelines;
using QuickSilver.Runtime;

namespace QuickSilver;

/// <summary>Long messages, as members and publishers send them.</summary>
public abstract partial class MessageSender
{
    /// <summary>Begins a long message, in groups of <see cref="ReliableMode"/> only. Nothing is sent before the first
    /// flush or the completion. Any thread.</summary>
    /// <returns>
    /// The writer, for one thread at a time. <see cref="PipeWriter.FlushAsync"/> sends what was written, and waits as
    /// <see cref="SendAsync(ReadOnlyMemory{byte}, CancellationToken)"/> does; it never waits for readers.
    /// <see cref="PipeWriter.CompleteAsync"/> sends the rest and the end; completed with an exception, it tells readers
    /// that the message was given up (<see cref="ErrorCode.LongMessageGivenUp"/>). <see cref="PipeWriter.Complete"/>
    /// does the same in the background. A writer that is not completed is given up when the handle ends; flushes and
    /// completions then throw its reason. A completion that throws gives the message up. Complete every writer.
    /// </returns>
    /// <remarks>At most 256 long messages of a node are under way in a group; the first flush of another throws
    /// <see cref="ErrorCode.TooManyLongMessages"/>, and nothing is sent. Copies what is written once, and allocates a
    /// few objects a long message. A piece has up to 32 KiB and takes a number of <see cref="Message.Sequence"/>. A
    /// cancelled flush leaves what is not sent with the writer, for the next flush. On the core thread flushes and
    /// completions throw <see cref="InvalidOperationException"/> where they would have to wait.</remarks>
    /// <exception cref="ObjectDisposedException">The handle has been closed.</exception>
    /// <exception cref="QuickSilverException"><see cref="ErrorCode.RefusedByMode"/>: the group is not
    /// <see cref="GroupMode.Reliable"/>. Or the handle has ended by itself; this is the reason.</exception>
    public PipeWriter OpenWriter()
    {
        Require(CheckSend(0), GroupMode.Reliable, nameof(OpenWriter));
        return new LongMessageWriter(Handle, Services.NextLongMessage());
    }
}
