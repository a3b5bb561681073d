// ManyGroups: one reader over ten thousand groups.
//
//   dotnet run -c Release --project samples/ManyGroups
//
// An exchange sends prices of ten thousand instruments, a group for each. The desk reads them all by one inbox: one
// loop, one limit, whatever the number of groups. One sees: the prices of each instrument come in order; a group that
// is left while the desk reads is told to be over, and the others go on.

using QuickSilver;

const int Instruments = 10_000;
const int Prices = 100;
var options = new QuickSilverOptions { ClusterName = $"many-{Environment.ProcessId}" };
options.Transport.Kind = TransportKind.InMemory; // two nodes of one process; without this line: any number of processes
await using QuickSilverNode exchange = await QuickSilverNode.StartAsync(options);
await using QuickSilverNode desk = await QuickSilverNode.StartAsync(options);

string[] names = [.. Enumerable.Range(0, Instruments).Select(number => $"instrument {number}")];
await using Inbox inbox = desk.CreateInbox(new InboxOptions { MaxMessages = 2 * Instruments * Prices });
IReadOnlyList<Group> reading = await desk.JoinManyAsync(names, new GroupOptions { Inbox = inbox });
IReadOnlyList<GroupPublisher> sending = await exchange.OpenPublishersAsync(names);

Task<Dictionary<Group, int>> reader = ReadAsync();
for (int price = 0; price < Prices; price++)
{
    foreach (GroupPublisher instrument in sending) await instrument.SendAsync($"{price}");
}
await exchange.FlushAsync();
await reading[0].LeaveAsync();
Dictionary<Group, int> last = await reader;
Console.WriteLine($"{last.Count:N0} instruments, the last price of each: {last.Values.Min()} to {last.Values.Max()}.");

async Task<Dictionary<Group, int>> ReadAsync()
{
    var last = new Dictionary<Group, int>();
    int prices = 0;
    bool isOver = false;
    await foreach (GroupEvent happened in inbox.ReadEventsAsync())
    {
        if (happened is MessageReceived { Message: var message })
        {
            int price = int.Parse(message.GetString());
            Group group = happened.Group;
            if (price != last.GetValueOrDefault(group, -1) + 1) throw new InvalidDataException("out of order");
            last[group] = price;
            prices++;
        }
        else if (happened is GroupCompleted)
        {
            Console.WriteLine($"{happened.Group.Name} is over.");
            isOver = true;
        }
        if (isOver && prices == Instruments * Prices) break;
    }
    return last;
}
