namespace QuickSilver.Dashboard.Figures;

/// <summary>How much of a table a browser gets at once.</summary>
internal static class Paging
{
    /// <summary>Most rows of a page of nodes or groups.</summary>
    public const int Rows = 25;

    /// <summary>Most regions of a page of the matrix.</summary>
    public const int Regions = 12;

    /// <summary>Most members in the list of slow ones.</summary>
    public const int Slow = 15;

    /// <summary>Most nodes in the list of those that lose packets.</summary>
    public const int Repairs = 10;

    /// <summary>Most changes of views.</summary>
    public const int Views = 20;

    /// <summary>Most names or numbers in one cell.</summary>
    public const int Names = 8;

    /// <summary>The order by name, which every table has.</summary>
    public const string ByName = "name";

    /// <summary>Number of pages, 1 or more.</summary>
    public static int PagesOf(int total, int rows) => Math.Max(1, (total + rows - 1) / rows);
}
