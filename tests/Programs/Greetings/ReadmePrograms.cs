using QuickSilver;

namespace Greetings;

/// <summary>The code of README.md: the page is held to it, and tests run it.</summary>
internal static class ReadmePrograms
{
    public static async Task SubscribeAsync()
    {
        await using var node = await QuickSilverNode.StartAsync();
        await using var group = await node.JoinAsync("greetings");   // returns in an installed view: what is sent from now on is seen
        Console.CancelKeyPress += async (_, key) => { key.Cancel = true; await group.DisposeAsync(); };   // Ctrl+C leaves, which ends the reading
        await foreach (var message in group.ReadAllAsync())
            Console.WriteLine($"{message.SenderName}: {message.GetString()}");
    }

    public static async Task PublishAsync()
    {
        await using var node = await QuickSilverNode.StartAsync();
        await using var publisher = await node.OpenPublisherAsync("greetings");   // sends only: it is no member
        await publisher.WaitForMembersAsync(1);
        await publisher.SendAsync("hello from " + node.Name);
        await publisher.CloseAsync();                                             // drains, then closes
    }
}
