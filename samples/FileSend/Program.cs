// FileSend: a file of any length to every member of a group, in little memory.
//
//   dotnet run -c Release --project samples/FileSend [-- FILE]
//
// One node sends the file as one long message; two others write it to disk while it arrives. One sees: the copies are
// equal to the file. A sender that dies on the way would end both readers with an error: no copy is ever short.

using System.IO.Pipelines;
using System.Security.Cryptography;
using QuickSilver;

string folder = Directory.CreateTempSubdirectory("filesend-").FullName;
string file = args.Length > 0 ? args[0] : Path.Combine(folder, "original");
if (args.Length == 0) await File.WriteAllBytesAsync(file, RandomNumberGenerator.GetBytes(20 << 20));
FileStream content;
try
{
    content = File.OpenRead(file);
}
catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
{
    await Console.Error.WriteLineAsync(failure.Message);
    Directory.Delete(folder, recursive: true);
    return 1;
}
var options = new QuickSilverOptions { ClusterName = $"files-{Environment.ProcessId}" };
options.Transport.Kind = TransportKind.InMemory; // nodes of one process; without this line: any number of processes
await using QuickSilverNode sender = await QuickSilverNode.StartAsync(options);
await using QuickSilverNode first = await QuickSilverNode.StartAsync(options);
await using QuickSilverNode second = await QuickSilverNode.StartAsync(options);
await using Group sending = await sender.JoinAsync("files", new GroupOptions { SelfDelivery = false });

Task<string>[] receiving = [ReceiveAsync(first, "first"), ReceiveAsync(second, "second")];
await sending.WaitForMembersAsync(3);
PipeWriter writer = sending.OpenWriter();
await using (content) await content.CopyToAsync(writer);
await writer.CompleteAsync(); // with an exception: the receivers' readers throw

string expected = await HashAsync(file);
foreach (string copy in await Task.WhenAll(receiving))
{
    bool isEqual = await HashAsync(copy) == expected;
    Console.WriteLine($"{Path.GetFileName(copy)} copy: {new FileInfo(copy).Length:N0} bytes, equal: {isEqual}");
}
Directory.Delete(folder, recursive: true);
return 0;

async Task<string> ReceiveAsync(QuickSilverNode node, string name)
{
    string path = Path.Combine(folder, name);
    var keeping = new GroupOptions { Mode = new ReliableMode { KeepLongMessages = true } };
    await using Group group = await node.JoinAsync("files", keeping);
    await foreach (LongMessage message in group.ReadLongMessagesAsync())
    {
        await using FileStream copy = File.Create(path);
        await message.Body.CopyToAsync(copy);
        await message.Body.CompleteAsync();
        break;
    }
    return path;
}

static async Task<string> HashAsync(string path)
{
    await using FileStream file = File.OpenRead(path);
    return Convert.ToHexString(await SHA256.HashDataAsync(file));
}
