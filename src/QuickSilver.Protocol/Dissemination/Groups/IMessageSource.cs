namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// The application's end of the pull tree, and the only way of messages into the protocol: asked for them when they
/// could be sent. Core thread only.
/// </summary>
public interface IMessageSource
{
    /// <summary>
    /// Gives messages, in the order in which they are to be sent: each is written and ended by
    /// <see cref="MessageWriter.EndMessage"/>, or handed over with its bytes by <see cref="MessageWriter.Hand"/>, until
    /// either says that no other is taken.
    /// </summary>
    /// <returns>True when the source has more, or may have. False when it has none: what was written after the last end
    /// is discarded, and the source is asked again only after a signal.</returns>
    bool Write(MessageWriter messages);
}
