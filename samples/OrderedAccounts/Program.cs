// OrderedAccounts: accounts that stay equal at all branches of a bank, though all branches book at once.
//
//   dotnet run -c Release --project samples/OrderedAccounts
//
// Three branches hold the same ten accounts, and each sends a thousand transfers. A transfer is refused when its
// account has too little: that depends on what was booked before. All branches book in the one order of an ordered
// group. One sees: each has refused the same transfers, and has the same accounts, and none has asked another.

using System.Runtime.InteropServices;
using QuickSilver;

const int Branches = 3;
const int Accounts = 10;
const int Transfers = 1_000;
var options = new QuickSilverOptions { ClusterName = $"bank-{Environment.ProcessId}" };
options.Transport.Kind = TransportKind.InMemory; // nodes of one process; without this line: any number of processes
var mode = new GroupOptions { Mode = new OrderedMode() };

var nodes = new List<QuickSilverNode>();
var branches = new List<Group>();
for (int branch = 0; branch < Branches; branch++)
{
    nodes.Add(await QuickSilverNode.StartAsync(options));
    branches.Add(await nodes[branch].JoinAsync("transfers", mode));
}
foreach (Group branch in branches) await branch.WaitForMembersAsync(Branches);

Task<string>[] booking = [.. branches.Select(BookAsync)];
await Task.WhenAll(branches.Select(SendAsync));
string[] books = await Task.WhenAll(booking);
for (int branch = 0; branch < Branches; branch++) Console.WriteLine($"branch {branch}: {books[branch]}");
Console.WriteLine($"equal: {books.Distinct().Count() == 1}");
foreach (QuickSilverNode node in nodes) await node.DisposeAsync();

// Its own transfers, too, a branch books when they come: at their place among those of others.
static async Task<string> BookAsync(Group branch)
{
    int[] accounts = [.. Enumerable.Repeat(100, Accounts)];
    (int booked, int refused) = (0, 0);
    await foreach (Message message in branch.ReadAllAsync())
    {
        Transfer transfer = MemoryMarshal.Read<Transfer>(message.Payload.Span);
        if (accounts[transfer.From] < transfer.Amount)
        {
            refused++;
        }
        else
        {
            accounts[transfer.From] -= transfer.Amount;
            accounts[transfer.To] += transfer.Amount;
            booked++;
        }
        if (booked + refused == Branches * Transfers) break;
    }
    return $"{booked} booked, {refused} refused, accounts {string.Join(", ", accounts)}";
}

static async Task SendAsync(Group branch)
{
    var random = new Random();
    byte[] bytes = new byte[3 * sizeof(int)];
    for (int number = 0; number < Transfers; number++)
    {
        var transfer = new Transfer(random.Next(Accounts), random.Next(Accounts), random.Next(1, 100));
        MemoryMarshal.Write(bytes, transfer);
        await branch.SendAsync(bytes.AsMemory());
    }
}

internal readonly record struct Transfer(int From, int To, int Amount);
