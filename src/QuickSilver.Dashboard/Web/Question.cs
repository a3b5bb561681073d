using System.Globalization;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Primitives;

namespace QuickSilver.Dashboard.Web;

/// <summary>Reads parts of a query, and remembers whether one is not what it has to be.</summary>
/// <param name="query">The query.</param>
internal sealed class Question(IQueryCollection query)
{
    private const int MostDigits = 6;

    /// <summary>What is wrong with the query; null if nothing is.</summary>
    public string? Fault { get; private set; }

    /// <summary>A number of a page, from 0 on; 0 unless it is given.</summary>
    public int Page(string name)
    {
        StringValues given = query[name];
        if (given.Count == 0) return 0;
        if (given.Count == 1 && given[0]!.Length <= MostDigits
            && int.TryParse(given[0], NumberStyles.None, CultureInfo.InvariantCulture, out int page)) return page;
        Fault ??= $"'{name}' is a number of a page, from 0 on";
        return 0;
    }

    /// <summary>A name of an order.</summary>
    /// <param name="name">Name in the query.</param>
    /// <param name="default">The order unless one is given.</param>
    /// <param name="isKnown">Whether there is an order of a name.</param>
    public string Sort(string name, string @default, Func<string, bool> isKnown)
    {
        StringValues given = query[name];
        if (given.Count == 0) return @default;
        if (given.Count == 1 && isKnown(given[0]!)) return given[0]!;
        Fault ??= $"'{name}' is no order of the table";
        return @default;
    }
}
