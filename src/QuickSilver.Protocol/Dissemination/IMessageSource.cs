namespace QuickSilver.Protocol.Dissemination;

/// <summary>The application's end of the pull tree: asked for messages when they could be sent. Core thread only.</summary>
public interface IMessageSource
{
    /// <summary>
    /// Writes messages, each ended by <see cref="MessageWriter.EndMessage"/>, until that says that no other is taken, and returns true; or until there
    /// is none, and returns false: then what was written after the last end is discarded, and the source is asked again only after a signal.
    /// </summary>
    bool Write(MessageWriter messages);
}
