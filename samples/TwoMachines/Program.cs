// TwoMachines: the two processes that one would start on two machines, started on one.
//
//   sudo dotnet run -c Release --project samples/TwoMachines      two network namespaces, joined by a cable
//   dotnet run -c Release --project samples/TwoMachines           without root: two processes that speak over loopback
//
// One process hosts the membership, the other one is told where. One sees: each prints the greeting of the other.
// samples/Publisher and samples/Subscriber do the same on real machines, with --host and --server ADDRESS.

using System.Diagnostics;
using System.Globalization;
using QuickSilver;

if (args is [var side, var own, var server, var port, var key])
{
    var options = new QuickSilverOptions { ClusterName = "two machines", NodeName = side };
    options.Transport.Interface = own;
    options.Security.KeyFile = key; // on real machines: a copy of the same file on each
    options.Membership.Port = int.Parse(port, CultureInfo.InvariantCulture);
    options.Membership.Mode = side == "host" ? MembershipMode.Host : MembershipMode.Client;
    if (side != "host") options.Membership.Servers.Add($"{server}:{port}");
    await using QuickSilverNode node = await QuickSilverNode.StartAsync(options);
    await using Group group = await node.JoinAsync("greetings", new GroupOptions { SelfDelivery = false });
    await group.WaitForMembersAsync(2);
    await group.SendConfirmedAsync(System.Text.Encoding.UTF8.GetBytes($"hello from {own}"));
    Message heard = await group.ReadAllAsync().FirstAsync();
    Console.WriteLine($"{side} has heard from {heard.SenderName}: {heard.GetString()}");
    return 0;
}

if (args.Length > 0)
{
    await Console.Error.WriteLineAsync("TwoMachines takes no arguments: it starts its two processes itself.");
    return 1;
}

(string names, int membership) = ($"tm{Environment.ProcessId}", Random.Shared.Next(20_000, 32_000));
string keyFile = Path.Combine(Path.GetTempPath(), $"{names}.key");
PreSharedKey.CreateFile(keyFile);
bool cabled = Environment.UserName == "root" && Shell($"ip netns add {names}a && ip netns add {names}b"
    + $" && ip -n {names}a link add cable type veth peer name cable netns {names}b") == 0;
string[] ends = cabled ? ["10.77.0.1", "10.77.0.2"] : ["127.0.0.1", "127.0.0.1"];
Console.CancelKeyPress += static (_, key) => key.Cancel = true; // Ctrl+C ends the processes; then the namespaces go
Console.WriteLine(cabled ? "Two network namespaces, joined by a cable." : "Two processes that speak over loopback.");
try
{
    for (int end = 0; cabled && end < 2; end++)
    {
        string at = $"ip -n {names}{"ab"[end]}";
        Shell($"{at} link set lo up && {at} addr add {ends[end]}/24 dev cable && {at} link set cable up");
    }
    Process[] processes = [Start("host", "a", ends[0]), Start("client", "b", ends[1])];
    foreach (Process process in processes) await process.WaitForExitAsync();
    return processes.All(static process => process.ExitCode == 0) ? 0 : 1;
}
finally
{
    File.Delete(keyFile);
    if (cabled) Shell($"ip netns del {names}a; ip netns del {names}b");
}

Process Start(string side, string suffix, string own) => Process.Start(
    "sh", ["-c", $"exec {(cabled ? $"ip netns exec {names}{suffix}" : "")} "
        + $"dotnet '{typeof(Program).Assembly.Location}' {side} {own} {ends[0]} {membership} '{keyFile}'"]);

static int Shell(string command) =>
    Process.Start("sh", ["-c", command]) is { } shell && shell.WaitForExit(-1) ? shell.ExitCode : 1;
