// Feed: messages that are written when they can leave, not before.
//
//   dotnet run -c Release --project samples/Feed
//
// A price changes all the time. A sender that queues every change sends old prices while the network is busy.
// A feed is asked for the next message when there is room for it in a packet. So it always writes the price of that
// moment, and no queue grows. One sees: how many prices left, and how old they were when the handler had them.

using System.Buffers;
using System.Buffers.Binary;
using System.Diagnostics;
using QuickSilver;

const int Prices = 1_000_000;
var options = new QuickSilverOptions { ClusterName = $"feed-{Environment.ProcessId}" };
options.Transport.Kind = TransportKind.InMemory; // two nodes of one process; without this line: any number of processes
await using QuickSilverNode exchange = await QuickSilverNode.StartAsync(options);
await using QuickSilverNode trader = await QuickSilverNode.StartAsync(options);

int received = 0;
TimeSpan oldest = TimeSpan.Zero, sum = TimeSpan.Zero;
var all = new TaskCompletionSource();
await using Group reading = await trader.JoinAsync("prices", new GroupOptions
{
    OnMessage = (in message) => // on the core thread: be short, never wait
    {
        TimeSpan age = Stopwatch.GetElapsedTime(BinaryPrimitives.ReadInt64LittleEndian(message.Payload));
        if (age > oldest) oldest = age;
        sum += age;
        if (++received == Prices) all.SetResult();
    },
});
await using GroupPublisher sending = await exchange.OpenPublisherAsync("prices");
await sending.WaitForMembersAsync(1);

long start = Stopwatch.GetTimestamp();
using FeedRegistration registration = sending.RegisterFeed(new PriceFeed(Prices));
registration.Signal(); // there is something to ask for
await all.Task;
double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
Console.WriteLine($"{received:N0} prices in {seconds:N2} s; in the handler they were "
    + $"{(sum / received).TotalMilliseconds:N2} ms old on average, {oldest.TotalMilliseconds:N2} ms at most.");

internal sealed class PriceFeed(int count) : IMessageFeed
{
    private int _left = count;

    public bool TryWriteNext(IBufferWriter<byte> message)
    {
        if (_left == 0) return false; // asked again after the next Signal
        _left--;
        Span<byte> room = message.GetSpan(16);
        BinaryPrimitives.WriteInt64LittleEndian(room, Stopwatch.GetTimestamp());
        BinaryPrimitives.WriteDoubleLittleEndian(room[8..], 100 + Math.Sin(_left)); // the price now
        message.Advance(16);
        return true;
    }
}
