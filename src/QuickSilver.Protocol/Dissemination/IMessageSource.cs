using System.Buffers;

namespace QuickSilver.Protocol.Dissemination;

/// <summary>The application's end of the pull tree: asked for messages when they could be sent. Core thread only.</summary>
public interface IMessageSource
{
    /// <summary>Writes the next message. False when there is none: what was written is discarded, and the source is asked again only after a
    /// signal.</summary>
    bool TryWriteNext(IBufferWriter<byte> message);

    /// <summary>
    /// Writes messages, each ended by <see cref="MessageWriter.EndMessage"/>, until that says that no other is taken, and returns true; or until
    /// there is none, and returns false: then what was written after the last end is discarded. For a source that has something to do once for all of
    /// them, or that has messages for later: returning true without an end it is asked again, as long as the group has something admitted.
    /// </summary>
    bool Write(MessageWriter messages)
    {
        ArgumentNullException.ThrowIfNull(messages);
        do
        {
            if (!TryWriteNext(messages)) return false;
        }
        while (messages.EndMessage());
        return true;
    }
}
