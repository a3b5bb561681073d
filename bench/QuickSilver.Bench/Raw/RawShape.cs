namespace QuickSilver.Bench.Raw;

/// <summary>How a raw loop lays its messages out, and how far it may run ahead of its receivers.</summary>
/// <param name="Size">Bytes of a message.</param>
/// <param name="Packed">Messages in a datagram, one after the other.</param>
/// <param name="TrainLength">Datagrams handed to the kernel in a call; 1: one by one.</param>
internal readonly record struct RawShape(int Size, int Packed, int TrainLength)
{
    // What a receive buffer of 4 MiB holds with room to spare: by count for small datagrams, whose bookkeeping weighs
    // more than they do, else by bytes.
    private const int MostDatagrams = 1500;
    private const int MostBytes = 1_500_000;
    private const int FeedbacksInWindow = 3;

    /// <summary>Bytes of a datagram.</summary>
    public int DatagramBytes => Size * Packed;

    /// <summary>Messages handed to the kernel in a call.</summary>
    public int MessagesPerCall => Packed * TrainLength;

    /// <summary>Messages that may be under way; never less than two calls' worth.</summary>
    public int Window => Math.Max(2 * MessagesPerCall, Packed * Math.Min(MostDatagrams, MostBytes / DatagramBytes));

    /// <summary>A receiver tells how far it is after so many messages.</summary>
    public int FeedbackEvery => Window / FeedbacksInWindow;
}
