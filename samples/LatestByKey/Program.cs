// LatestByKey: a slow reader that always has the newest value of each key.
//
//   dotnet run -c Release --project samples/LatestByKey
//
// A room sends a million temperatures of ten sensors as fast as it can. The display takes a millisecond for each.
// Its inbox keeps one unread message for each sensor: a new one takes the place of the old one. One sees: the display
// shows few of the messages, and the last one that it shows of each sensor is the last one sent. It holds up nobody.

using System.Buffers.Binary;
using QuickSilver;

const int Sensors = 10;
const int Temperatures = 1_000_000;
var options = new QuickSilverOptions { ClusterName = $"latest-{Environment.ProcessId}" };
options.Transport.Kind = TransportKind.InMemory; // two nodes of one process; without this line: any number of processes
await using QuickSilverNode room = await QuickSilverNode.StartAsync(options);
await using QuickSilverNode display = await QuickSilverNode.StartAsync(options);

await using Group showing = await display.JoinAsync("temperatures", new GroupOptions
{
    Overflow = OverflowPolicy.DropOldest,
    // On the core thread: pure and short.
    Key = static (in message) => BinaryPrimitives.ReadUInt64LittleEndian(message.Payload),
});
await using GroupPublisher measuring = await room.OpenPublisherAsync("temperatures");
await measuring.WaitForMembersAsync(1);

int[] shown = new int[Sensors];
int updates = 0;
Task showingAll = ShowAsync();
byte[] temperature = new byte[sizeof(ulong) + sizeof(int)];
for (int number = 1; number <= Temperatures; number++)
{
    BinaryPrimitives.WriteUInt64LittleEndian(temperature, (ulong)(number % Sensors));
    BinaryPrimitives.WriteInt32LittleEndian(temperature.AsSpan(sizeof(ulong)), number);
    await measuring.SendAsync(temperature.AsMemory());
}
Console.WriteLine($"{Temperatures:N0} temperatures sent while the display showed {updates:N0}.");
await showingAll;
Console.WriteLine($"{updates:N0} shown in all; the last of each sensor: {string.Join(", ", shown)}.");

async Task ShowAsync()
{
    await foreach (Message message in showing.ReadAllAsync())
    {
        shown[BinaryPrimitives.ReadUInt64LittleEndian(message.Payload.Span)] =
            BinaryPrimitives.ReadInt32LittleEndian(message.Payload.Span[sizeof(ulong)..]);
        updates++;
        if (shown.Min() > Temperatures - Sensors) return; // the last message of every sensor
        await Task.Delay(1);
    }
}
