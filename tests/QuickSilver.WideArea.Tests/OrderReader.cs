using System.Collections.Concurrent;
using System.Globalization;
using System.Text;

namespace QuickSilver.WideArea.Tests;

/// <summary>A member of the order of all sites that keeps what it reads.</summary>
internal sealed class OrderReader : IAsyncDisposable
{
    private readonly ConcurrentQueue<SiteOrderEvent> _events = new();
    private readonly Task _reading;

    private OrderReader(SiteOrder order)
    {
        Order = order;
        _reading = Task.Run(ReadAsync);
    }

    public SiteOrder Order { get; }

    public int Count => _events.Count(static told => told is SiteOrderedMessage);

    public IReadOnlyList<SiteOrderEvent> Events => [.. _events];

    public IReadOnlyList<SiteOrderedMessage> Messages => [.. _events.OfType<SiteOrderedMessage>()];

    public IReadOnlyList<SitesChanged> Changes => [.. _events.OfType<SitesChanged>()];

    public IReadOnlyList<string> Texts =>
        [.. Messages.Select(static message => $"{message.Group} {Encoding.UTF8.GetString(message.Payload.Span)}")];

    public static async Task<OrderReader> JoinAsync(QuickSilverNode node, OrderedLevel level = OrderedLevel.Agreed) =>
        new(await SiteOrder.JoinAsync(node, new SiteOrderOptions { Level = level }).WaitAsync(SiteRig.Patience));

    /// <summary>Sends numbered messages to two groups.</summary>
    public async Task SendAsync(string name, int count, int first = 0)
    {
        for (int number = first; number < first + count; number++)
        {
            string text = string.Create(CultureInfo.InvariantCulture, $"{name} {number}");
            await Order.SendAsync(number % 2 == 0 ? "even" : "odd", Encoding.UTF8.GetBytes(text))
                .AsTask().WaitAsync(SiteRig.Patience);
            if (number % 20 == 19) await Task.Delay(1);
        }
    }

    public Task UntilAsync(int count) =>
        SiteRig.UntilAsync(() => Count >= count, () => $"{count} messages: {Count}, {Order.GetStatistics()}");

    /// <summary>Waits until so many sites take part.</summary>
    public Task UntilSitesAsync(int count) => SiteRig.UntilAsync(
        () => Changes is [.., var last] && last.Sites.Count == count,
        () => $"{count} sites: {string.Join(" | ", Changes)}, {Order.GetStatistics()}");

    public async ValueTask DisposeAsync()
    {
        await Order.DisposeAsync();
        await _reading.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    private async Task ReadAsync()
    {
        await foreach (SiteOrderEvent told in Order.ReadEventsAsync()) _events.Enqueue(told);
    }
}
