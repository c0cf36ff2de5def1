//! Parquet by the low-level writer: three kinds of columns do not need Arrow, which would be most
//! of the dependencies of this crate.

use super::{Table, Values};
use parquet::basic::{ConvertedType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::Result;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use std::sync::Arc;

pub(super) fn write(table: &Table) -> Result<Vec<u8>> {
    let columns = table.columns.iter().map(|(name, values)| {
        let (physical, converted, repetition) = match values {
            Values::Text(_) => (Physical::BYTE_ARRAY, ConvertedType::UTF8, Repetition::REQUIRED),
            Values::Count(values) => (Physical::INT64, count_type(values), Repetition::OPTIONAL),
            Values::Real(_) => (Physical::DOUBLE, ConvertedType::NONE, Repetition::OPTIONAL),
        };
        let column = Type::primitive_type_builder(name, physical).with_converted_type(converted);
        column.with_repetition(repetition).build().map(Arc::new)
    });
    let schema = Type::group_type_builder("results").with_fields(columns.collect::<Result<_>>()?).build()?;
    let mut bytes = Vec::new();
    let mut file =
        SerializedFileWriter::new(&mut bytes, Arc::new(schema), Arc::new(WriterProperties::builder().build()))?;
    let mut group = file.next_row_group()?;
    let mut columns = table.columns.iter();
    while let Some(mut column) = group.next_column()? {
        if let Some((_, values)) = columns.next() {
            write_column(&mut column, values)?;
        }
        column.close()?;
    }
    group.close()?;
    file.close()?;
    Ok(bytes)
}

fn write_column(column: &mut SerializedColumnWriter<'_>, values: &Values) -> Result<()> {
    match values {
        Values::Text(values) => {
            let values: Vec<ByteArray> = values.iter().map(|value| value.as_str().into()).collect();
            column.typed::<ByteArrayType>().write_batch(&values, None, None)?;
        }
        Values::Count(values) => {
            // UINT_64 is kept as the same 64 bits.
            let present: Vec<i64> = values.iter().flatten().map(|value| value.cast_signed()).collect();
            column.typed::<Int64Type>().write_batch(&present, Some(&levels(values)), None)?;
        }
        Values::Real(values) => {
            let present: Vec<f64> = values.iter().flatten().copied().collect();
            column.typed::<DoubleType>().write_batch(&present, Some(&levels(values)), None)?;
        }
    }
    Ok(())
}

/// Signed, as data frames subtract: unsigned numbers would wrap. Only a column with a number of 64
/// bits, which may be a seed, is unsigned.
fn count_type(values: &[Option<u64>]) -> ConvertedType {
    let is_large = |value: &u64| i64::try_from(*value).is_err();
    if values.iter().flatten().any(is_large) { ConvertedType::UINT_64 } else { ConvertedType::INT_64 }
}

/// 1 where there is a value, 0 where there is none.
fn levels<T>(values: &[Option<T>]) -> Vec<i16> {
    values.iter().map(|value| i16::from(value.is_some())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    #[test]
    fn reads_back() {
        let table = Table {
            columns: vec![
                ("switch".to_string(), Values::Text(vec!["oq".to_string(), "islip(iterations=1)".to_string()])),
                ("seed".to_string(), Values::Count(vec![Some(u64::MAX), None])),
                ("delay_p99".to_string(), Values::Count(vec![Some(7), None])),
                ("delay".to_string(), Values::Real(vec![None, Some(0.1)])),
                ("fairness".to_string(), Values::Real(vec![None, None])),
            ],
            rows: 2,
        };
        let bytes = write(&table).unwrap();
        assert_eq!(bytes, write(&table).unwrap());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.parquet");
        std::fs::write(&path, bytes).unwrap();
        let reader = SerializedFileReader::new(std::fs::File::open(path).unwrap()).unwrap();
        let rows: Vec<Vec<(String, Field)>> =
            reader.get_row_iter(None).unwrap().map(|row| row.unwrap().into_columns()).collect();
        let field = |row: usize, column: usize| rows[row][column].1.clone();
        assert_eq!(
            rows[0].iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
            ["switch", "seed", "delay_p99", "delay", "fairness"]
        );
        assert_eq!(field(1, 0), Field::Str("islip(iterations=1)".to_string()));
        assert_eq!((field(0, 1), field(1, 1)), (Field::ULong(u64::MAX), Field::Null));
        assert_eq!((field(0, 2), field(1, 2)), (Field::Long(7), Field::Null));
        assert_eq!((field(0, 3), field(1, 3)), (Field::Null, Field::Double(0.1)));
        assert_eq!((field(0, 4), field(1, 4)), (Field::Null, Field::Null));
    }
}
