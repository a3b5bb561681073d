// World: positions of moving objects, which are worth nothing once newer ones are there.
//
//   dotnet run -c Release --project samples/World
//
// Three players move ten objects each, thirty times a second for three seconds, and lose a tenth of what they receive.
// Every position has its object's key: a newer one takes its place, and what is missing of it is not asked for. One
// sees: every player ends with the last position of every object, nobody waited for anybody, and few were asked for.

using System.Buffers.Binary;
using QuickSilver;
using QuickSilver.Testing;

const int Players = 3;
const int Objects = 10;
const int Frames = 90;
var options = new QuickSilverOptions { ClusterName = $"world-{Environment.ProcessId}" };
options.Transport.Kind = TransportKind.InMemory; // three nodes of one process; without this line: any number
options.UseFaults(dropReceived: 0.1);

int[][] seen = [.. Enumerable.Range(0, Players).Select(static _ => new int[Players * Objects])];
var nodes = new QuickSilverNode[Players];
var groups = new Group[Players];
for (int player = 0; player < Players; player++)
{
    int[] mine = seen[player];
    nodes[player] = await QuickSilverNode.StartAsync(options);
    groups[player] = await nodes[player].JoinAsync("world", new GroupOptions
    {
        Mode = new TimedMode { TimeToLive = TimeSpan.FromSeconds(1), LatestOnly = true },
        // On the core thread: pure and short.
        OnMessage = (in message) => mine[BinaryPrimitives.ReadInt32LittleEndian(message.Payload)] =
            BinaryPrimitives.ReadInt32LittleEndian(message.Payload[sizeof(int)..]),
    });
}
await groups[0].WaitForMembersAsync(Players);

byte[] position = new byte[2 * sizeof(int)];
using var frames = new PeriodicTimer(TimeSpan.FromMilliseconds(33));
for (int frame = 1; frame <= Frames && await frames.WaitForNextTickAsync(); frame++)
{
    for (int thing = 0; thing < Players * Objects; thing++)
    {
        BinaryPrimitives.WriteInt32LittleEndian(position, thing);
        BinaryPrimitives.WriteInt32LittleEndian(position.AsSpan(sizeof(int)), frame);
        await groups[thing / Objects].SendAsync(position, new SendOptions { Key = (ulong)thing });
    }
}
await Task.Delay(TimeSpan.FromSeconds(1)); // the last positions that were lost are asked for
for (int player = 0; player < Players; player++)
{
    int last = seen[player].Count(static at => at == Frames);
    Console.WriteLine($"player {player} sees {last} objects at their last place.");
}
foreach (QuickSilverNode node in nodes) await node.DisposeAsync();
