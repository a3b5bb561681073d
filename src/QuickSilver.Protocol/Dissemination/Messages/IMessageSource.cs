namespace QuickSilver.Protocol.Dissemination.Messages;

/// <summary>
/// The application's end of the pull tree, and the only entrance of messages into the protocol. It is asked for
/// messages when they could be sent. Core thread only.
/// </summary>
internal interface IMessageSource
{
    /// <summary>
    /// Supplies messages in the order in which they are to be sent. Each is written and ended by
    /// <see cref="MessageWriter.EndMessage"/>, or passed with its bytes to <see cref="MessageWriter.Hand"/>, until
    /// either returns that no other is taken.
    /// </summary>
    /// <returns>True when the source has more, or may have. False when it has none: bytes written after the last end
    /// are discarded, and the source is asked again only after a signal.</returns>
    bool Write(MessageWriter messages);
}
