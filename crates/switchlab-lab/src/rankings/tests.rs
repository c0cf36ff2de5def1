use super::*;
use proptest::prelude::*;
use switchlab_core::stable::{check_stable, examples, gale_shapley};

const RANKS: &str = "# Example 1\nrows: ranks\n3,4,1,2\n1,2,3,4\n1,2,4,3\n2,3,1,4\n\ncolumns: ranks\n3,2,1,4\n1,4,3,2\n1,2,3,4\n3,2,1,4\n";

#[test]
fn every_form_of_example_1() {
    let order =
        "rows: order\n2,3,0,1\n0,1,2,3\n0,1,3,2\n2,0,1,3\ncolumns : Order\r\n2,1,0,3\n0,3,2,1\n0,1,2,3\n2,1,0,3\n";
    let mixed = "columns:order\n2,1,0,3\n0,3,2,1\n0,1,2,3\n2,1,0,3\nrows: ranks\n3,4,1,2\n1,2,3,4\n1,2,4,3\n2,3,1,4\n";
    let matrix = "3/3, 4/1, 1/1, 2/3\n1/2,2/4,3/2,4/2\n1/1,2/3,4/3,3/1\n2/4,3/2,1/4,4/4\n";
    let json = r#"{"rows": {"ranks": [[3,4,1,2],[1,2,3,4],[1,2,4,3],[2,3,1,4]]}, "columns": {"order": [[2,1,0,3],[0,[3],2,1],[0,1,2,3],[2,1,0,3]]}}"#;
    let json_matrix = r#" {"matrix": [[[3,3],[4,1],[1,1],[2,3]],[[1,2],[2,4],[3,2],[4,2]],[[1,1],[2,3],[4,3],[3,1]],[[2,4],[3,2],[1,4],[4,4]]]}"#;
    for text in [RANKS, order, mixed, matrix, json, json_matrix] {
        assert_eq!(parse(text), Ok(examples::example_1()), "{text}");
    }
}

#[test]
fn ties_absences_and_rectangles() {
    let lists = parse("rows: order\n0=1,2\n-\ncolumns: ranks\n1,-\n,2\n5,5\n").unwrap();
    assert_eq!(lists.row_ranks(), [1, 0, 2, 0, 0, 0]);
    let json = r#"{"rows": {"order": [[[0,1],2],[]]}, "columns": {"ranks": [[1,null],[null,2],[5,5]]}}"#;
    assert_eq!(parse(json), Ok(lists.clone()));
    assert_eq!(parse("1/1,-,2/5\n-,-,-"), Ok(lists.clone()));
    assert_eq!(parse(r#"{"matrix": [[[1,1],null,[2,5]],[null,null,null]]}"#), Ok(lists));
}

#[test]
fn mistakes_are_named_with_their_lines() {
    for (text, words) in [
        ("", "no rankings"),
        ("# nothing\n\n", "no rankings"),
        ("rows: rank\n1\n", "line 1: \"rows: rank\" is not a head; did you mean `rows: ranks`?"),
        ("rows: ranks\n1\n", "the columns are missing"),
        ("columns: ranks\n1\n", "the rows are missing"),
        ("rows: ranks\ncolumns: ranks\n1\n", "there is no row"),
        ("rows: ranks\n1\nrows: ranks\n1\n", "line 3: the rows come a second time"),
        ("rows: ranks\n\n1,2\ncolumns: ranks\n1\n", "line 3: 2 ranks, but there are 1 columns"),
        ("rows: ranks\n1\ncolumns: ranks\nx1\n", "line 4: \"x1\" is not a head"),
        ("rows: ranks\n1\ncolumns: ranks\n-1\n", "line 4, field 1: \"-1\" is not a rank"),
        ("rows: ranks\n1\ncolumns: ranks\n70000\n", "line 4, field 1: \"70000\" is not a rank"),
        ("rows: order\n0,1\ncolumns: ranks\n1\n", "line 2: there is no column 1; there are 1"),
        ("rows: order\n0=0\ncolumns: ranks\n1\n", "line 2: column 0 is named twice"),
        ("rows: order\n0;1\ncolumns: ranks\n1\n", "line 2, field 1: \"0;1\" is not a number"),
        ("1/1,2/1\n1/2\n", "line 2: 1 pairs, but the first line has 2"),
        ("1/1,2\n", "line 1, field 2: \"2\" is not a pair of ranks"),
        ("1/1\n1/x\n", "line 2, field 1: \"x\" is not a rank"),
        ("{", "line 1 column 1"),
        ("{\"rows\": {\"order\": [[0]]}}", "write either"),
        ("{\"rows\": {\"orders\": [[0]]}}", "unknown variant `orders`"),
        ("{\"rows\": {\"order\": [[0]]},\n \"columns\": {\"order\": [[\"x\"]]}}", "a number of a partner from 0"),
        ("{\"rows\": {\"order\": [[0]]},\n \"columns\": {\"order\": [[0,1]]}}", "columns.order[0]: there is no row 1"),
        ("{\"matrix\": []}", "there is no row"),
        ("{\"matrix\": [[]]}", "there is no column"),
        ("{\"matrix\": [[[1,1]],\n [[1,-1]]]}", "line 2"),
    ] {
        let error = parse(text).expect_err(text);
        assert!(error.contains(words), "{text:?}: {error}");
    }
    let many = vec!["1/1"; MAX_PORTS + 1];
    assert!(parse(&many.join(",")).unwrap_err().contains("too many"));
    assert!(parse(&many.join("\n")).unwrap_err().contains("too many"));
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), b"\xff\xfe").unwrap();
    assert!(read(file.path()).unwrap_err().to_string().contains("not text"));
    assert!(matches!(read(Path::new("/no such file")), Err(LabError::Read { .. })));
}

proptest! {
    /// Whatever is given is refused with words, or can be matched.
    #[test]
    fn any_text(text in "((rows|columns): (ranks|order)\n|[0-9=/,-]{0,8}\n){0,8}", other in any::<String>()) {
        for text in [&text, &other, &format!("{{{other}")] {
            match parse(text) {
                Ok(preferences) => prop_assert_eq!(check_stable(&preferences, &gale_shapley(&preferences).matching), Ok(())),
                Err(problem) => prop_assert!(!problem.is_empty()),
            }
        }
    }
}
