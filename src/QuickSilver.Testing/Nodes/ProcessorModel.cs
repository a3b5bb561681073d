namespace QuickSilver.Testing.Nodes;

/// <summary>
/// What work costs a node. While it works it does nothing else: its datagrams wait in its sockets, its alarms become
/// late.
/// <para>
/// <see cref="PerTurn"/> and <see cref="PerKilobyte"/> are coarse: they are added up and paid when a turn is over. The
/// other costs are paid as the work is done: the node's clock goes on inside the turn, so the quanta of the loop cut
/// long turns as they do on a real machine, and what the turn sends leaves later than what it read. Late alarms, full
/// sockets and slow tokens come out of that; nothing else makes them. A run without these costs is the same to the last
/// bit as one made before they existed.
/// </para>
/// </summary>
internal sealed record ProcessorModel
{
    /// <summary>Work costs nothing.</summary>
    public static ProcessorModel None { get; } = new() { PerTurn = TimeSpan.Zero, PerKilobyte = TimeSpan.Zero };

    /// <summary>
    /// The processors of the papers' runs. A sender that does nothing else gets rid of 10,000 messages of 1000 bytes a
    /// second, its own delivery of them included, a receiver takes in 9,500, one message a packet, less what control
    /// and <see cref="MemoryModel.Papers"/> cost: the first paper reached 8,000 with one sender, which was then at 100
    /// % of its processor, and 9,300 to 9,500 with two, which receive each other. How the cost splits between datagram,
    /// byte and message is a guess from its profile (a fifth of a sender's time for allocation, 10-15 % each for
    /// transmission, bookkeeping and serialisation).
    /// </summary>
    public static ProcessorModel Papers { get; } = new()
    {
        PerTurn = TimeSpan.FromMicroseconds(3),
        PerKilobyte = TimeSpan.Zero,
        DatagramSentNanoseconds = 30_000,
        ByteSentNanoseconds = 20,
        MessageSentNanoseconds = 23_000,
        DatagramReadNanoseconds = 58_000,
        ByteReadNanoseconds = 20,
        MessageDeliveredNanoseconds = 25_000,
        AlarmNanoseconds = 10_000,
    };

    /// <summary>
    /// This program on the machine of docs/performance.md: 1.34 us of processor for each 1000-byte message sent and
    /// 0.46 us for each received, with trains, and about 3 us for a datagram that comes alone.
    /// </summary>
    public static ProcessorModel Measured { get; } = new()
    {
        PerTurn = TimeSpan.FromMicroseconds(2),
        PerKilobyte = TimeSpan.Zero,
        DatagramSentNanoseconds = 500,
        ByteSentNanoseconds = 0.34,
        MessageSentNanoseconds = 500,
        DatagramReadNanoseconds = 150,
        ByteReadNanoseconds = 0.16,
        MessageDeliveredNanoseconds = 150,
        AlarmNanoseconds = 300,
    };

    /// <summary>Cost of every turn, paid after it.</summary>
    public TimeSpan PerTurn { get; init; } = TimeSpan.FromMicroseconds(3);

    /// <summary>Cost of each kilobyte (1,000 bytes) sent or read in the turn, paid after it.</summary>
    public TimeSpan PerKilobyte { get; init; } = TimeSpan.FromMicroseconds(1);

    /// <summary>Cost of each datagram handed to the interface.</summary>
    public double DatagramSentNanoseconds { get; init; }

    /// <summary>Cost of each byte of it.</summary>
    public double ByteSentNanoseconds { get; init; }

    /// <summary>Cost of each message the application sends.</summary>
    public double MessageSentNanoseconds { get; init; }

    /// <summary>Cost of each datagram read, paid when it is handled.</summary>
    public double DatagramReadNanoseconds { get; init; }

    /// <summary>Cost of each byte of it.</summary>
    public double ByteReadNanoseconds { get; init; }

    /// <summary>Cost of each message handed to the application, its handler included.</summary>
    public double MessageDeliveredNanoseconds { get; init; }

    /// <summary>Cost of each alarm fired, paid after the turn.</summary>
    public double AlarmNanoseconds { get; init; }
}
