using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Timed;

/// <summary>A request or an announcement that is made when the socket can take it, from what is true then.</summary>
internal interface ITimedWord
{
    /// <summary>Writes the word's next datagram.</summary>
    /// <param name="room">Room for it; it stays as it is until the next call.</param>
    /// <param name="now">The present instant.</param>
    /// <param name="word">Its length and destination.</param>
    /// <returns>False when nothing remains to be said: the word is in no queue any longer.</returns>
    bool TryWrite(byte[] room, Instant now, out TimedDatagram word);
}
