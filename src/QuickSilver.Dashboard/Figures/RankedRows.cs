using System.Collections.Concurrent;
using QuickSilver.Dashboard.Json;

namespace QuickSilver.Dashboard.Figures;

/// <summary>The rows of a table at one tick, sorted once for each order that is asked for. Any thread.</summary>
/// <typeparam name="T">Type of the rows.</typeparam>
/// <param name="byName">The rows by name. They stay so among equals of any other order.</param>
/// <param name="orders">The other orders.</param>
internal sealed class RankedRows<T>(T[] byName, IReadOnlyDictionary<string, Func<T, double>> orders)
{
    private readonly ConcurrentDictionary<string, T[]> _sorted = new();

    /// <summary>Number of rows.</summary>
    public int Count => byName.Length;

    /// <summary>A page of the rows; the last one for a page that lies behind it.</summary>
    /// <param name="page">Number of the page, from 0 on.</param>
    /// <param name="sort">Name of an order, by name or one of the orders.</param>
    public Page<T> PageOf(int page, string sort)
    {
        int pages = Paging.PagesOf(byName.Length, Paging.Rows);
        int number = Math.Min(page, pages - 1);
        T[] rows = [.. Sorted(sort).Skip(number * Paging.Rows).Take(Paging.Rows)];
        return new Page<T>(number, pages, byName.Length, sort, rows);
    }

    private T[] Sorted(string sort) =>
        sort == Paging.ByName
            ? byName
            : _sorted.GetOrAdd(sort, static (name, own) => [.. own.Rows.OrderByDescending(own.Orders[name])],
                (Rows: byName, Orders: orders));
}
